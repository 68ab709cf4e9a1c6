// Decodes JPEGs at 1/8 scale on several threads and throws the pixels away: what the same files cost with
// libjpeg-turbo alone. A file that is no JPEG, or a broken one, is passed over.
//
// usage: turbo-decode THREADS LIST      LIST: a file with one path a line
// Prints how many were decoded, and a checksum so that nothing is optimized away.


#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// After stdio.h, whose types it uses.
#include <jpeglib.h>

struct failure { struct jpeg_error_mgr errors; jmp_buf jump; };

static void on_error(j_common_ptr info) { longjmp(((struct failure *)info->err)->jump, 1); }
static void on_message(j_common_ptr info, int level) { (void)info; (void)level; }

static char **paths;
static size_t count;
static atomic_size_t next;
static atomic_size_t decoded;
static atomic_uint_least64_t checksum;

static uint8_t *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(length > 0 ? (size_t)length : 1);
    *size = fread(bytes, 1, (size_t)length, file);
    fclose(file);
    return bytes;
}

static void decode(const uint8_t *bytes, size_t size) {
    struct jpeg_decompress_struct info;
    struct failure failure;
    uint8_t *volatile row = NULL;
    info.err = jpeg_std_error(&failure.errors);
    failure.errors.error_exit = on_error;
    failure.errors.emit_message = on_message;
    if (setjmp(failure.jump)) {
        jpeg_destroy_decompress(&info);
        free(row);
        return;
    }
    jpeg_create_decompress(&info);
    jpeg_mem_src(&info, bytes, size);
    jpeg_read_header(&info, TRUE);
    info.scale_num = 1;
    info.scale_denom = 8;
    jpeg_start_decompress(&info);
    row = malloc((size_t)info.output_width * (size_t)info.output_components);
    uint64_t sum = 0;
    while (info.output_scanline < info.output_height) {
        JSAMPROW rows[1] = {row};
        jpeg_read_scanlines(&info, rows, 1);
        sum += row[0];
    }
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    free(row);
    atomic_fetch_add(&checksum, sum);
    atomic_fetch_add(&decoded, 1);
}

static void *work(void *unused) {
    (void)unused;
    size_t index;
    while ((index = atomic_fetch_add(&next, 1)) < count) {
        size_t size = 0;
        uint8_t *bytes = read_file(paths[index], &size);
        if (bytes) decode(bytes, size);
        free(bytes);
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 3 || atoi(argv[1]) < 1) {
        fputs("usage: turbo-decode THREADS LIST\n", stderr);
        return 64;
    }
    FILE *list = fopen(argv[2], "r");
    if (!list) { perror(argv[2]); return 1; }
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    while ((length = getline(&line, &capacity, list)) > 0) {
        if (line[length - 1] == '\n') line[length - 1] = 0;
        paths = realloc(paths, (count + 1) * sizeof *paths);
        paths[count++] = strdup(line);
    }
    int threads = atoi(argv[1]);
    pthread_t *handles = calloc((size_t)threads, sizeof *handles);
    for (int i = 0; i < threads; i++) pthread_create(&handles[i], NULL, work, NULL);
    for (int i = 0; i < threads; i++) pthread_join(handles[i], NULL);
    printf("%zu of %zu decoded, checksum %llu\n", (size_t)decoded, count, (unsigned long long)checksum);
    return 0;
}
