// Facts only, written by scripts/generate/color-names: six hex digits, a space, the name.

extension ColorName {
    /// The 949 commonest names in the xkcd color survey of 2010: https://xkcd.com/color/rgb/ (CC0).
    static let surveyTable = """
        8ffe09 acid green
        bd6c48 adobe
        54ac68 algae
        21c36f algae green
        070d0d almost black
        feb308 amber
        9b5fc0 amethyst
        6ecb3c apple
        76cd26 apple green
        ffb16d apricot
        13eac9 aqua
        02d8e9 aqua blue
        12e193 aqua green
        2ee8bb aqua marine
        04d8b2 aquamarine
        4b5d16 army green
        77ab56 asparagus
        3d0734 aubergine
        9a3001 auburn
        90b134 avocado
        87a922 avocado green
        1d5dec azul
        069af3 azure
        a2cffe baby blue
        8cff9e baby green
        ffb7ce baby pink
        ab9004 baby poo
        937c00 baby poop
        8f9805 baby poop green
        b6c406 baby puke green
        ca9bf7 baby purple
        ad900d baby shit brown
        889717 baby shit green
        ffff7e banana
        fafe4b banana yellow
        fe46a5 barbie pink
        94ac02 barf green
        ac1db8 barney
        a00498 barney purple
        6b7c85 battleship grey
        e6daa6 beige
        990f4b berry
        b5c306 bile
        000000 black
        afa88b bland
        770001 blood
        fe4b03 blood orange
        980002 blood red
        0343df blue
        2242c7 blue blue
        137e6d blue green
        607c8e blue grey
        5729ce blue purple
        5d06e9 blue violet
        533cc6 blue with a hint of purple
        0f9b8e blue/green
        758da3 blue/grey
        5a06ef blue/purple
        464196 blueberry
        017a79 bluegreen
        85a3b2 bluegrey
        2bb179 bluey green
        89a0b0 bluey grey
        6241c7 bluey purple
        2976bb bluish
        10a674 bluish green
        748b97 bluish grey
        703be7 bluish purple
        5539cc blurple
        f29e8e blush
        fe828c blush pink
        9bb53c booger
        96b403 booger green
        7b002c bordeaux
        63b365 boring green
        044a05 bottle green
        a03623 brick
        c14a09 brick orange
        8f1402 brick red
        0bf9ea bright aqua
        0165fc bright blue
        41fdfe bright cyan
        01ff07 bright green
        c760ff bright lavender
        26f7fd bright light blue
        2dfe54 bright light green
        c95efb bright lilac
        87fd05 bright lime
        65fe08 bright lime green
        ff08e8 bright magenta
        9cbb04 bright olive
        ff5b00 bright orange
        fe01b1 bright pink
        be03fd bright purple
        ff000d bright red
        05ffa6 bright sea green
        02ccfe bright sky blue
        01f9c6 bright teal
        0ffef9 bright turquoise
        ad0afd bright violet
        fffd01 bright yellow
        9dff00 bright yellow green
        05480d british racing green
        a87900 bronze
        653700 brown
        706c11 brown green
        8d8468 brown grey
        b96902 brown orange
        922b05 brown red
        b29705 brown yellow
        9c6d57 brownish
        6a6e09 brownish green
        86775f brownish grey
        cb7723 brownish orange
        c27e79 brownish pink
        76424e brownish purple
        9e3623 brownish red
        c9b003 brownish yellow
        6f6c0a browny green
        ca6b02 browny orange
        7e4071 bruise
        ff69af bubble gum pink
        ff6cb5 bubblegum
        fe83cc bubblegum pink
        fef69e buff
        610023 burgundy
        c04e01 burnt orange
        9f2305 burnt red
        b75203 burnt siena
        b04e0f burnt sienna
        a0450e burnt umber
        d5ab09 burnt yellow
        6832e3 burple
        ffff81 butter
        fffd74 butter yellow
        fdb147 butterscotch
        4e7496 cadet blue
        c69f59 camel
        7f8f4e camo
        526525 camo green
        4b6113 camouflage green
        fdff63 canary
        fffe40 canary yellow
        ff63e9 candy pink
        af6f09 caramel
        9d0216 carmine
        fd798f carnation
        ff7fa7 carnation pink
        8ab8fe carolina blue
        befdb7 celadon
        c1fd95 celery
        a5a391 cement
        de0c62 cerise
        0485d1 cerulean
        056eee cerulean blue
        343837 charcoal
        3c4142 charcoal grey
        c1f80a chartreuse
        cf0234 cherry
        f7022a cherry red
        742802 chestnut
        3d1c02 chocolate
        411900 chocolate brown
        ac4f06 cinnamon
        680018 claret
        b66a50 clay
        b2713d clay brown
        247afd clear blue
        acc2d9 cloudy blue
        1e488f cobalt
        030aa7 cobalt blue
        875f42 cocoa
        a6814c coffee
        4984b8 cool blue
        33b864 cool green
        95a3a6 cool grey
        b66325 copper
        fc5a50 coral
        ff6163 coral pink
        6a79f7 cornflower
        5170d7 cornflower blue
        9e003a cranberry
        ffffc2 cream
        ffffb6 creme
        8c000f crimson
        fffd78 custard
        00ffff cyan
        fedf08 dandelion
        1b2431 dark
        05696b dark aqua
        017371 dark aquamarine
        ac9362 dark beige
        00035b dark blue
        005249 dark blue green
        1f3b4d dark blue grey
        341c02 dark brown
        cf524e dark coral
        fff39a dark cream
        0a888a dark cyan
        002d04 dark forest green
        9d0759 dark fuchsia
        b59410 dark gold
        388004 dark grass green
        033500 dark green
        1f6357 dark green blue
        363737 dark grey
        29465b dark grey blue
        d90166 dark hot pink
        1f0954 dark indigo
        9b8f55 dark khaki
        856798 dark lavender
        9c6da5 dark lilac
        84b701 dark lime
        7ebd01 dark lime green
        960056 dark magenta
        3c0008 dark maroon
        874c62 dark mauve
        48c072 dark mint
        20c073 dark mint green
        a88905 dark mustard
        000435 dark navy
        00022e dark navy blue
        373e02 dark olive
        3c4d03 dark olive green
        c65102 dark orange
        56ae57 dark pastel green
        de7e5d dark peach
        665fd1 dark periwinkle
        cb416b dark pink
        3f012c dark plum
        35063e dark purple
        840000 dark red
        b5485d dark rose
        02066f dark royal blue
        598556 dark sage
        c85a53 dark salmon
        a88f59 dark sand
        11875d dark sea green
        1fb57a dark seafoam
        3eaf76 dark seafoam green
        448ee4 dark sky blue
        214761 dark slate blue
        af884a dark tan
        7f684e dark taupe
        014d4e dark teal
        045c5a dark turquoise
        34013f dark violet
        d5b60a dark yellow
        728f02 dark yellow green
        030764 darkblue
        054907 darkgreen
        014182 darkish blue
        287c37 darkish green
        da467d darkish pink
        751973 darkish purple
        a90308 darkish red
        08787f deep aqua
        040273 deep blue
        410200 deep brown
        02590f deep green
        8d5eb7 deep lavender
        966ebd deep lilac
        a0025c deep magenta
        dc4d01 deep orange
        cb0162 deep pink
        36013f deep purple
        9a0200 deep red
        c74767 deep rose
        015482 deep sea blue
        0d75f8 deep sky blue
        00555a deep teal
        017374 deep turquoise
        490648 deep violet
        3b638c denim
        3b5b92 denim blue
        ccad60 desert
        9f8303 diarrhea
        8a6e45 dirt
        836539 dirt brown
        3f829d dirty blue
        667e2c dirty green
        c87606 dirty orange
        ca7b80 dirty pink
        734a65 dirty purple
        cdc50a dirty yellow
        3e82fc dodger blue
        828344 drab
        749551 drab green
        4b0101 dried blood
        c3fbf4 duck egg blue
        49759c dull blue
        876e4b dull brown
        74a662 dull green
        d8863b dull orange
        d5869d dull pink
        84597e dull purple
        bb3f3f dull red
        5f9e8f dull teal
        eedc5b dull yellow
        4e5481 dusk
        26538d dusk blue
        475f94 dusky blue
        cc7a8b dusky pink
        895b7b dusky purple
        ba6873 dusky rose
        b2996e dust
        5a86ad dusty blue
        76a973 dusty green
        ac86a8 dusty lavender
        f0833a dusty orange
        d58a94 dusty pink
        825f87 dusty purple
        b9484e dusty red
        c0737a dusty rose
        4c9085 dusty teal
        a2653e earth
        8cfd7e easter green
        c071fe easter purple
        feffca ecru
        fffcc4 egg shell
        380835 eggplant
        430541 eggplant purple
        ffffd4 eggshell
        c4fff7 eggshell blue
        0652ff electric blue
        21fc0d electric green
        a8ff04 electric lime
        ff0490 electric pink
        aa23ff electric purple
        01a049 emerald
        028f1e emerald green
        05472a evergreen
        658cbb faded blue
        7bb274 faded green
        f0944d faded orange
        de9dac faded pink
        916e99 faded purple
        d3494e faded red
        feff7f faded yellow
        cfaf7b fawn
        63a950 fern
        548d44 fern green
        fe0002 fire engine red
        3c73a8 flat blue
        699d4c flat green
        08ff08 fluorescent green
        0aff02 fluro green
        90fda9 foam green
        0b5509 forest
        06470c forest green
        154406 forrest green
        436bad french blue
        69d84f fresh green
        58bc08 frog green
        ed0dd9 fuchsia
        dbb40c gold
        f5bf03 golden
        b27a01 golden brown
        f9bc08 golden rod
        fec615 golden yellow
        fac205 goldenrod
        6c3461 grape
        5d1451 grape purple
        fd5956 grapefruit
        5cac2d grass
        3f9b0b grass green
        419c03 grassy green
        15b01a green
        5edc1f green apple
        06b48b green blue
        544e03 green brown
        77926f green grey
        0cb577 green teal
        c9ff27 green yellow
        01c08d green/blue
        b5ce08 green/yellow
        23c48b greenblue
        40a368 greenish
        c9d179 greenish beige
        0b8b87 greenish blue
        696112 greenish brown
        2afeb7 greenish cyan
        96ae8d greenish grey
        bccb7a greenish tan
        32bf84 greenish teal
        00fbb0 greenish turquoise
        cdfd02 greenish yellow
        42b395 greeny blue
        696006 greeny brown
        7ea07a greeny grey
        c6f808 greeny yellow
        929591 grey
        6b8ba4 grey blue
        7f7053 grey brown
        789b73 grey green
        c3909b grey pink
        826d8c grey purple
        5e9b8a grey teal
        647d8e grey/blue
        86a17d grey/green
        77a1b5 greyblue
        a8a495 greyish
        5e819d greyish blue
        7a6a4f greyish brown
        82a67d greyish green
        c88d94 greyish pink
        887191 greyish purple
        719f91 greyish teal
        a0bf16 gross green
        536267 gunmetal
        8e7618 hazel
        a484ac heather
        d94ff5 heliotrope
        1bfc06 highlighter green
        9be5aa hospital green
        25ff29 hot green
        f504c9 hot magenta
        ff028d hot pink
        cb00f5 hot purple
        0b4008 hunter green
        d6fffa ice
        d7fffe ice blue
        8fae22 icky green
        850e04 indian red
        380282 indigo
        3a18b1 indigo blue
        6258c4 iris
        019529 irish green
        ffffcb ivory
        1fa774 jade
        2baf6a jade green
        048243 jungle green
        009337 kelley green
        02ab2e kelly green
        5cb200 kermit green
        aeff6e key lime
        aaa662 khaki
        728639 khaki green
        9cef43 kiwi
        8ee53f kiwi green
        c79fef lavender
        8b88f8 lavender blue
        dd85d7 lavender pink
        4da409 lawn green
        71aa34 leaf
        5ca904 leaf green
        51b73b leafy green
        ac7434 leather
        fdff52 lemon
        adf802 lemon green
        bffe28 lemon lime
        fdff38 lemon yellow
        8fb67b lichen
        8cffdb light aqua
        7bfdc7 light aquamarine
        fffeb6 light beige
        95d0fc light blue
        7efbb3 light blue green
        b7c9e2 light blue grey
        76fda8 light bluish green
        53fe5c light bright green
        ad8150 light brown
        a8415b light burgundy
        acfffc light cyan
        894585 light eggplant
        4f9153 light forest green
        fddc5c light gold
        9af764 light grass green
        96f97b light green
        56fca2 light green blue
        63f7b4 light greenish blue
        d8dcd6 light grey
        9dbcd4 light grey blue
        b7e1a1 light grey green
        6d5acf light indigo
        e6f2a2 light khaki
        efc0fe light lavendar
        dfc5fe light lavender
        cafffb light light blue
        c8ffb0 light light green
        edc8ff light lilac
        aefd6c light lime
        b9ff66 light lime green
        fa5ff7 light magenta
        a24857 light maroon
        c292a1 light mauve
        b6ffbb light mint
        a6fbb2 light mint green
        a6c875 light moss green
        f7d560 light mustard
        155084 light navy
        2e5a88 light navy blue
        4efd54 light neon green
        acbf69 light olive
        a4be5c light olive green
        fdaa48 light orange
        b2fba5 light pastel green
        c4fe82 light pea green
        ffd8b1 light peach
        c1c6fc light periwinkle
        ffd1df light pink
        9d5783 light plum
        bf77f6 light purple
        ff474c light red
        ffc5cb light rose
        3a2efe light royal blue
        bcecac light sage
        fea993 light salmon
        98f6b0 light sea green
        a0febf light seafoam
        a7ffb5 light seafoam green
        c6fcff light sky blue
        fbeeac light tan
        90e4c1 light teal
        7ef4cc light turquoise
        b36ff6 light urple
        d6b4fc light violet
        fffe7a light yellow
        ccfd7f light yellow green
        c2ff89 light yellowish green
        7bc8f6 lightblue
        75fd63 lighter green
        a55af4 lighter purple
        76ff7b lightgreen
        3d7afd lightish blue
        61e160 lightish green
        a552e6 lightish purple
        fe2f4a lightish red
        cea2fd lilac
        c48efd liliac
        aaff32 lime
        89fe05 lime green
        d0fe1d lime yellow
        d5174e lipstick
        c0022f lipstick red
        efb435 macaroni and cheese
        c20078 magenta
        4a0100 mahogany
        f4d054 maize
        ffa62b mango
        fffa86 manilla
        fcc006 marigold
        042e60 marine
        01386a marine blue
        650021 maroon
        ae7181 mauve
        2c6fbb medium blue
        7f5112 medium brown
        39ad48 medium green
        7d7f7c medium grey
        f36196 medium pink
        9e43a2 medium purple
        ff7855 melon
        730039 merlot
        4f738e metallic blue
        276ab3 mid blue
        50a747 mid green
        03012d midnight
        020035 midnight blue
        280137 midnight purple
        667c3e military green
        7f4e1e milk chocolate
        9ffeb0 mint
        8fff9f mint green
        0bf77d minty green
        9d7651 mocha
        769958 moss
        658b38 moss green
        638b27 mossy green
        735c12 mud
        60460f mud brown
        606602 mud green
        886806 muddy brown
        657432 muddy green
        bfac05 muddy yellow
        920a4e mulberry
        6c7a0e murky green
        ba9e88 mushroom
        ceb301 mustard
        ac7e04 mustard brown
        a8b504 mustard green
        d2bd0a mustard yellow
        3b719f muted blue
        5fa052 muted green
        d1768f muted pink
        805b87 muted purple
        70b23f nasty green
        01153e navy
        001146 navy blue
        35530a navy green
        04d9ff neon blue
        0cff0c neon green
        fe019a neon pink
        bc13fe neon purple
        ff073a neon red
        cfff04 neon yellow
        107ab0 nice blue
        040348 night blue
        017b92 ocean
        03719c ocean blue
        3d9973 ocean green
        bf9b0c ocher
        bf9005 ochre
        c69c04 ocre
        5684ae off blue
        6ba353 off green
        ffffe4 off white
        f1f33f off yellow
        c77986 old pink
        c87f89 old rose
        6e750e olive
        645403 olive brown
        6f7632 olive drab
        677a04 olive green
        c2b709 olive yellow
        f97306 orange
        be6400 orange brown
        ff6f52 orange pink
        fd411e orange red
        ffad01 orange yellow
        fd8d49 orangeish
        fe420f orangered
        b16002 orangey brown
        fa4224 orangey red
        fdb915 orangey yellow
        fc824a orangish
        b25f03 orangish brown
        f43605 orangish red
        c875c4 orchid
        fff9d0 pale
        b8ffeb pale aqua
        d0fefe pale blue
        b1916e pale brown
        b7fffa pale cyan
        fdde6c pale gold
        c7fdb5 pale green
        fdfdfe pale grey
        eecffe pale lavender
        b1fc99 pale light green
        e4cbff pale lilac
        befd73 pale lime
        b1ff65 pale lime green
        d767ad pale magenta
        fed0fc pale mauve
        b9cc81 pale olive
        b1d27b pale olive green
        ffa756 pale orange
        ffe5ad pale peach
        ffcfdc pale pink
        b790d4 pale purple
        d9544d pale red
        fdc1c5 pale rose
        ffb19a pale salmon
        bdf6fe pale sky blue
        82cbb2 pale teal
        a5fbd5 pale turquoise
        ceaefa pale violet
        ffff84 pale yellow
        fefcaf parchment
        a2bffe pastel blue
        b0ff9d pastel green
        ff964f pastel orange
        ffbacd pastel pink
        caa0ff pastel purple
        db5856 pastel red
        fffe71 pastel yellow
        a4bf20 pea
        8eab12 pea green
        929901 pea soup
        94a617 pea soup green
        ffb07c peach
        ff9a8a peachy pink
        016795 peacock blue
        cbf85f pear
        8e82fe periwinkle
        8f99fb periwinkle blue
        8f8ce7 perrywinkle
        005f6a petrol
        e78ea5 pig pink
        2b5d34 pine
        0a481e pine green
        ff81c0 pink
        db4bda pink purple
        f5054f pink red
        ef1de7 pink/purple
        d46a7e pinkish
        b17261 pinkish brown
        c8aca9 pinkish grey
        ff724c pinkish orange
        d648d7 pinkish purple
        f10c45 pinkish red
        d99b82 pinkish tan
        fc86aa pinky
        c94cbe pinky purple
        fc2647 pinky red
        ddd618 piss yellow
        c0fa8b pistachio
        580f41 plum
        4e0550 plum purple
        40fd14 poison green
        8f7303 poo
        885f01 poo brown
        7f5e00 poop
        7a5901 poop brown
        6f7c00 poop green
        b1d1fc powder blue
        ffb2d0 powder pink
        0804f9 primary blue
        004577 prussian blue
        a57e52 puce
        a5a502 puke
        947706 puke brown
        9aae07 puke green
        c2be0e puke yellow
        e17701 pumpkin
        fb7d07 pumpkin orange
        0203e2 pure blue
        7e1e9c purple
        632de9 purple blue
        673a3f purple brown
        866f85 purple grey
        e03fd8 purple pink
        990147 purple red
        5d21d0 purple/blue
        d725de purple/pink
        98568d purpleish
        6140ef purpleish blue
        df4ec8 purpleish pink
        8756e4 purpley
        5f34e7 purpley blue
        947e94 purpley grey
        c83cb9 purpley pink
        94568c purplish
        601ef9 purplish blue
        6b4247 purplish brown
        7a687f purplish grey
        ce5dae purplish pink
        b0054b purplish red
        983fb2 purply
        661aee purply blue
        f075e6 purply pink
        beae8a putty
        014600 racing green
        2cfa1f radioactive green
        b00149 raspberry
        9a6200 raw sienna
        a75e09 raw umber
        d4ffff really light blue
        e50000 red
        8b2e16 red brown
        fd3c06 red orange
        fa2a55 red pink
        820747 red purple
        9e0168 red violet
        8c0034 red wine
        c44240 reddish
        7f2b0a reddish brown
        997570 reddish grey
        f8481c reddish orange
        fe2c54 reddish pink
        910951 reddish purple
        6e1005 reddy brown
        021bf9 rich blue
        720058 rich purple
        8af1fe robin egg blue
        6dedfd robin's egg
        98eff9 robin's egg blue
        fe86a4 rosa
        cf6275 rose
        f7879a rose pink
        be013c rose red
        f6688e rosy pink
        ab1239 rouge
        0c1793 royal
        0504aa royal blue
        4b006e royal purple
        ca0147 ruby
        a13905 russet
        a83c09 rust
        8b3103 rust brown
        c45508 rust orange
        aa2704 rust red
        cd5909 rusty orange
        af2f0d rusty red
        feb209 saffron
        87ae73 sage
        88b378 sage green
        ff796c salmon
        fe7b7c salmon pink
        e2ca76 sand
        cba560 sand brown
        fce166 sand yellow
        c9ae74 sandstone
        f1da7a sandy
        c4a661 sandy brown
        fdee73 sandy yellow
        5c8b15 sap green
        2138ab sapphire
        be0119 scarlet
        3c9992 sea
        047495 sea blue
        53fca1 sea green
        80f9ad seafoam
        78d1b6 seafoam blue
        7af9ab seafoam green
        18d17b seaweed
        35ad6b seaweed green
        985e2b sepia
        01b44c shamrock
        02c14d shamrock green
        7f5f00 shit
        7b5804 shit brown
        758000 shit green
        fe02a2 shocking pink
        9db92c sick green
        94b21c sickly green
        d0e429 sickly yellow
        a9561e sienna
        c5c9c7 silver
        82cafc sky
        75bbfd sky blue
        516572 slate
        5b7c99 slate blue
        658d6d slate green
        59656d slate grey
        99cc04 slime green
        acbb0d snot
        9dc100 snot green
        6488ea soft blue
        6fc276 soft green
        fdb0c0 soft pink
        a66fb5 soft purple
        1ef876 spearmint
        a9f971 spring green
        0a5f38 spruce
        f2ab15 squash
        738595 steel
        5a7d9a steel blue
        6f828a steel grey
        ada587 stone
        507b9c stormy blue
        fcf679 straw
        fb2943 strawberry
        0c06f7 strong blue
        ff0789 strong pink
        ffdf22 sun yellow
        ffc512 sunflower
        ffda03 sunflower yellow
        fff917 sunny yellow
        fffd37 sunshine yellow
        698339 swamp
        748500 swamp green
        d1b26f tan
        ab7e4c tan brown
        a9be70 tan green
        ff9408 tangerine
        b9a281 taupe
        65ab7c tea
        bdf8a3 tea green
        029386 teal
        01889f teal blue
        25a36f teal green
        24bca8 tealish
        0cdc73 tealish green
        c9643b terra cotta
        cb6843 terracota
        ca6641 terracotta
        7bf2da tiffany blue
        ef4026 tomato
        ec2d01 tomato red
        13bbaf topaz
        c7ac7d toupe
        61de2a toxic green
        2a7e19 tree green
        010fcc true blue
        089404 true green
        06c2ac turquoise
        06b1c4 turquoise blue
        04f489 turquoise green
        75b84f turtle green
        4e518b twilight
        0a437a twilight blue
        31668a ugly blue
        7d7103 ugly brown
        7a9703 ugly green
        cd7584 ugly pink
        a442a0 ugly purple
        d0c101 ugly yellow
        2000b1 ultramarine
        1805db ultramarine blue
        b26400 umber
        750851 velvet
        f4320c vermillion
        000133 very dark blue
        1d0200 very dark brown
        062e03 very dark green
        2a0134 very dark purple
        d5ffff very light blue
        d3b683 very light brown
        d1ffbd very light green
        fff4f2 very light pink
        f6cefc very light purple
        d6fffe very pale blue
        cffdbc very pale green
        0339f8 vibrant blue
        0add08 vibrant green
        ad03de vibrant purple
        9a0eea violet
        510ac9 violet blue
        fb5ffc violet pink
        a50055 violet red
        1e9167 viridian
        152eff vivid blue
        2fef10 vivid green
        9900fa vivid purple
        a2a415 vomit
        89a203 vomit green
        c7c10c vomit yellow
        4b57db warm blue
        964e02 warm brown
        978a84 warm grey
        fb5581 warm pink
        952e8f warm purple
        bcf5a6 washed out green
        0e87cc water blue
        fd4659 watermelon
        3ae57f weird green
        fbdd7e wheat
        ffffff white
        3778bf windows blue
        80013f wine
        7b0323 wine red
        20f986 wintergreen
        a87dc2 wisteria
        ffff14 yellow
        b79400 yellow brown
        c0fb2d yellow green
        cb9d06 yellow ochre
        fcb001 yellow orange
        ffe36e yellow tan
        c8fd3d yellow/green
        bbf90f yellowgreen
        faee66 yellowish
        9b7a01 yellowish brown
        b0dd16 yellowish green
        ffab0f yellowish orange
        fcfc81 yellowish tan
        ae8b0c yellowy brown
        bff128 yellowy green
        """
}
