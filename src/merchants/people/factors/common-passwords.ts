// The commonest passwords of twelve characters and more, most common first.
const PASSWORD_LIST = `
123qweasdzxc 1qaz2wsx3edc q1w2e3r4t5y6 1q2w3e4r5t6y qazwsxedcrfv 123456qwerty qwerty123456 leavemealone 123456654321 qazwsxedc123
sonyericsson zxcasdqwe123 123456789qwe 1qazxsw23edc qwerasdfzxcv qweasdzxc123 123456789987654321 112233445566 finalfantasy
1qaz2wsx3edc4rfv justinbieber needforspeed 123456789123 qazwsxedcrfvtgb counterstrike zaq1xsw2cde3 123456789abc 123456789qwerty
qazxswedcvfr qwertyasdfgh whosyourdaddy 123456789qaz 12345678900987654321 010203040506 102030405060 qwerty123456789 devilmaycry4
iseedeadpeople jamesbond007 123123qweqwe qwertyytrewq 1234567890qw 1234qwerasdf 123qwe456rty asdfghjkl123 qwertyuiop123
q1w2e3r4t5y6u7 123456789zxc 12345678987654321 q1w2e3r4t5y6u7i8 1234567890qwe 1qazxsw23edcvfr4 159753456852 christopher1
ingodwetrust minecraft123 peanutbutter abc123456789 residentevil qawsedrftgyh 123321qweewq avrillavigne massimiliano 012345678910
temppassword ticketmaster stratocaster 123456789101 nightcrawler 1234567890qaz sanfrancisco 1234567qwertyu 1234qwerasdfzxcv
111222333000 zaqwsxcderfv qwaszxerdfcv greenlantern q1w2e3r4t5y6u7i8o9p0 1234567890qwerty 1234567890987654321 qwertyuiop10
qazxswedc123 zxcvbn123456 123321456654 qwertyuiop12345 asdfgh123456 123456789asd michaeljackson 1234567887654321 ilovemyfamily
014702580369 123456789qwer 111222333444555 123456789000 systemofadown 122333444455555 zxcvbnm123456789 mortalkombat 123qwerty123
thecakeisalie qwertyuiop12 qwertasdfgzxcvb 123456123456 1q2w3e4r5t6y7u8i9o0p qwertyqwerty 123456789123456789 international
1q2w3e4r5t6y7u professional administrator 123qwe123qwe demon1q2w3e4r 1q2w3e4r5t6y7u8i ichliebedich ihatethisgame 123321123321
onedirection transformers 1q2w3e4r5t6y7u8i9o supernatural 1234567891011 lovelovelove internazionale 123456789123456
12345678901234567890 1234567890qwertyuiop jesuslovesme 159753159753 1234567891234567 hannahmontana 123456789101112 1234567890123
cookiemonster edwardcullen qwe123qwe123 cosmopolitan manchesterunited q1w2e3r4t5y6u7i8o9 unbelievable relationship
mobilemoney1 mobilemoney12 mobilemoney123
`
// The commonest words of passwords. People write them twice, or put digits behind them, when something longer is asked for.
const WORD_LIST = `
password passw0rd p@ssword p@ssw0rd qwerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx 123456 1234567890 abc123 admin root
welcome letmein login master changeme secret default test guest user iloveyou loveyou sunshine princess dragon monkey football
baseball basketball soccer hockey superman batman spiderman starwars pokemon shadow mustang harley ranger hunter killer freedom
whatever trustno1 jordan michael jennifer jessica michelle charlie daniel thomas andrew joshua robert william matthew anthony
nicole ashley amanda samantha hannah maggie ginger pepper cheese cookie chocolate banana orange purple yellow flower summer winter
autumn spring monday friday january february september october november december computer internet samsung google facebook
liverpool chelsea arsenal manchester barcelona juventus london newyork america uganda kampala nairobi africa jesus jesuschrist
blessed blessing godisgood mobilemoney money business company family forever mother father thunder silver golden diamond hello
`
const splitWords = (text: string) => text.trim().split(/\s+/)

/** Common passwords of twelve characters and more, in lower case. */
export const COMMON_LONG_PASSWORDS: readonly string[] = splitWords(PASSWORD_LIST)
/** Common words of passwords, in lower case. */
export const COMMON_WORDS: readonly string[] = splitWords(WORD_LIST)
