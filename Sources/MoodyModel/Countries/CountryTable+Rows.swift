// Facts only, written by scripts/generate/countries: ISO 3166's number, its letters, UN M.49's number of its
// continent, the name in English (CLDR).

extension CountryTable {
    static let rows = """
        4 AF 142 Afghanistan
        8 AL 150 Albania
        10 AQ 10 Antarctica
        12 DZ 2 Algeria
        16 AS 9 American Samoa
        20 AD 150 Andorra
        24 AO 2 Angola
        28 AG 3 Antigua & Barbuda
        31 AZ 142 Azerbaijan
        32 AR 5 Argentina
        36 AU 9 Australia
        40 AT 150 Austria
        44 BS 3 Bahamas
        48 BH 142 Bahrain
        50 BD 142 Bangladesh
        51 AM 142 Armenia
        52 BB 3 Barbados
        56 BE 150 Belgium
        60 BM 3 Bermuda
        64 BT 142 Bhutan
        68 BO 5 Bolivia
        70 BA 150 Bosnia & Herzegovina
        72 BW 2 Botswana
        76 BR 5 Brazil
        84 BZ 3 Belize
        86 IO 142 British Indian Ocean Territory
        90 SB 9 Solomon Islands
        92 VG 3 British Virgin Islands
        96 BN 142 Brunei
        100 BG 150 Bulgaria
        104 MM 142 Myanmar (Burma)
        108 BI 2 Burundi
        112 BY 150 Belarus
        116 KH 142 Cambodia
        120 CM 2 Cameroon
        124 CA 3 Canada
        132 CV 2 Cape Verde
        136 KY 3 Cayman Islands
        140 CF 2 Central African Republic
        144 LK 142 Sri Lanka
        148 TD 2 Chad
        152 CL 5 Chile
        156 CN 142 China
        158 TW 142 Taiwan
        170 CO 5 Colombia
        174 KM 2 Comoros
        178 CG 2 Congo - Brazzaville
        180 CD 2 Congo - Kinshasa
        184 CK 9 Cook Islands
        188 CR 3 Costa Rica
        191 HR 150 Croatia
        192 CU 3 Cuba
        196 CY 142 Cyprus
        203 CZ 150 Czechia
        204 BJ 2 Benin
        208 DK 150 Denmark
        212 DM 3 Dominica
        214 DO 3 Dominican Republic
        218 EC 5 Ecuador
        222 SV 3 El Salvador
        226 GQ 2 Equatorial Guinea
        231 ET 2 Ethiopia
        232 ER 2 Eritrea
        233 EE 150 Estonia
        234 FO 150 Faroe Islands
        238 FK 5 Falkland Islands
        239 GS 5 South Georgia & South Sandwich Islands
        242 FJ 9 Fiji
        246 FI 150 Finland
        248 AX 150 Åland Islands
        250 FR 150 France
        258 PF 9 French Polynesia
        260 TF 10 French Southern Territories
        262 DJ 2 Djibouti
        266 GA 2 Gabon
        268 GE 142 Georgia
        270 GM 2 Gambia
        275 PS 142 Palestinian Territories
        276 DE 150 Germany
        288 GH 2 Ghana
        292 GI 150 Gibraltar
        296 KI 9 Kiribati
        300 GR 150 Greece
        304 GL 3 Greenland
        308 GD 3 Grenada
        316 GU 9 Guam
        320 GT 3 Guatemala
        324 GN 2 Guinea
        328 GY 5 Guyana
        332 HT 3 Haiti
        334 HM 10 Heard & McDonald Islands
        336 VA 150 Vatican City
        340 HN 3 Honduras
        344 HK 142 Hong Kong SAR China
        348 HU 150 Hungary
        352 IS 150 Iceland
        356 IN 142 India
        360 ID 142 Indonesia
        364 IR 142 Iran
        368 IQ 142 Iraq
        372 IE 150 Ireland
        376 IL 142 Israel
        380 IT 150 Italy
        384 CI 2 Côte d’Ivoire
        388 JM 3 Jamaica
        392 JP 142 Japan
        398 KZ 142 Kazakhstan
        400 JO 142 Jordan
        404 KE 2 Kenya
        408 KP 142 North Korea
        410 KR 142 South Korea
        414 KW 142 Kuwait
        417 KG 142 Kyrgyzstan
        418 LA 142 Laos
        422 LB 142 Lebanon
        426 LS 2 Lesotho
        428 LV 150 Latvia
        430 LR 2 Liberia
        434 LY 2 Libya
        438 LI 150 Liechtenstein
        440 LT 150 Lithuania
        442 LU 150 Luxembourg
        446 MO 142 Macao SAR China
        450 MG 2 Madagascar
        454 MW 2 Malawi
        458 MY 142 Malaysia
        462 MV 142 Maldives
        466 ML 2 Mali
        470 MT 150 Malta
        478 MR 2 Mauritania
        480 MU 2 Mauritius
        484 MX 3 Mexico
        492 MC 150 Monaco
        496 MN 142 Mongolia
        498 MD 150 Moldova
        499 ME 150 Montenegro
        500 MS 3 Montserrat
        504 MA 2 Morocco
        508 MZ 2 Mozambique
        512 OM 142 Oman
        516 NA 2 Namibia
        520 NR 9 Nauru
        524 NP 142 Nepal
        528 NL 150 Netherlands
        531 CW 3 Curaçao
        533 AW 3 Aruba
        534 SX 3 Sint Maarten
        540 NC 9 New Caledonia
        548 VU 9 Vanuatu
        554 NZ 9 New Zealand
        558 NI 3 Nicaragua
        562 NE 2 Niger
        566 NG 2 Nigeria
        570 NU 9 Niue
        574 NF 9 Norfolk Island
        578 NO 150 Norway
        580 MP 9 Northern Mariana Islands
        581 UM 9 U.S. Outlying Islands
        583 FM 9 Micronesia
        584 MH 9 Marshall Islands
        585 PW 9 Palau
        586 PK 142 Pakistan
        591 PA 3 Panama
        598 PG 9 Papua New Guinea
        600 PY 5 Paraguay
        604 PE 5 Peru
        608 PH 142 Philippines
        612 PN 9 Pitcairn Islands
        616 PL 150 Poland
        620 PT 150 Portugal
        624 GW 2 Guinea-Bissau
        626 TL 142 Timor-Leste
        630 PR 3 Puerto Rico
        634 QA 142 Qatar
        642 RO 150 Romania
        643 RU 150 Russia
        646 RW 2 Rwanda
        652 BL 3 St. Barthélemy
        654 SH 2 St. Helena
        659 KN 3 St. Kitts & Nevis
        660 AI 3 Anguilla
        662 LC 3 St. Lucia
        663 MF 3 St. Martin
        666 PM 3 St. Pierre & Miquelon
        670 VC 3 St. Vincent & Grenadines
        674 SM 150 San Marino
        678 ST 2 São Tomé & Príncipe
        682 SA 142 Saudi Arabia
        686 SN 2 Senegal
        688 RS 150 Serbia
        690 SC 2 Seychelles
        694 SL 2 Sierra Leone
        702 SG 142 Singapore
        703 SK 150 Slovakia
        704 VN 142 Vietnam
        705 SI 150 Slovenia
        706 SO 2 Somalia
        710 ZA 2 South Africa
        716 ZW 2 Zimbabwe
        724 ES 150 Spain
        728 SS 2 South Sudan
        729 SD 2 Sudan
        732 EH 2 Western Sahara
        740 SR 5 Suriname
        748 SZ 2 Eswatini
        752 SE 150 Sweden
        756 CH 150 Switzerland
        760 SY 142 Syria
        762 TJ 142 Tajikistan
        764 TH 142 Thailand
        768 TG 2 Togo
        776 TO 9 Tonga
        780 TT 3 Trinidad & Tobago
        784 AE 142 United Arab Emirates
        788 TN 2 Tunisia
        792 TR 142 Türkiye
        795 TM 142 Turkmenistan
        796 TC 3 Turks & Caicos Islands
        798 TV 9 Tuvalu
        800 UG 2 Uganda
        804 UA 150 Ukraine
        807 MK 150 North Macedonia
        818 EG 2 Egypt
        826 GB 150 United Kingdom
        831 GG 150 Guernsey
        832 JE 150 Jersey
        833 IM 150 Isle of Man
        834 TZ 2 Tanzania
        840 US 3 United States
        850 VI 3 U.S. Virgin Islands
        854 BF 2 Burkina Faso
        858 UY 5 Uruguay
        860 UZ 142 Uzbekistan
        862 VE 5 Venezuela
        876 WF 9 Wallis & Futuna
        882 WS 9 Samoa
        887 YE 142 Yemen
        894 ZM 2 Zambia
        983 XK 150 Kosovo
        """
}
