#include "CTurbo.h"

#include <setjmp.h>
#include <stdio.h>
#include <jpeglib.h>

struct errors {
    struct jpeg_error_mgr manager;
    jmp_buf fatal;
};

static void on_fatal(j_common_ptr cinfo) { longjmp(((struct errors *)cinfo->err)->fatal, 1); }
static void on_message(j_common_ptr cinfo, int level) { (void)cinfo; (void)level; }

int turbo_eighth(const uint8_t *bytes, size_t count, uint8_t *rgba, size_t capacity) {
    struct errors errors;
    struct jpeg_decompress_struct cinfo;
    volatile int rows = 0;
    cinfo.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = on_fatal;
    errors.manager.emit_message = on_message;
    if (!setjmp(errors.fatal)) {
        jpeg_create_decompress(&cinfo);
        jpeg_mem_src(&cinfo, bytes, count);
        jpeg_read_header(&cinfo, TRUE);
        cinfo.scale_num = 1;
        cinfo.scale_denom = 8;
        cinfo.out_color_space = JCS_EXT_RGBA;
        jpeg_start_decompress(&cinfo);
        size_t row_size = (size_t)cinfo.output_width * 4;
        while (cinfo.output_scanline < cinfo.output_height && (cinfo.output_scanline + 1) * row_size <= capacity) {
            JSAMPROW row = rgba + cinfo.output_scanline * row_size;
            jpeg_read_scanlines(&cinfo, &row, 1);
        }
        rows = (int)cinfo.output_scanline;
    }
    jpeg_destroy_decompress(&cinfo);
    return rows;
}
