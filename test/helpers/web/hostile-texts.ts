/** Texts that break out of markup, reverse the text after them or fill the screen, if a page prints them unescaped. */
export const HOSTILE_TEXTS: readonly string[] = [
  `"><script>alert(1)</script>`,
  `'-alert(1)-'`,
  '</style><script>alert(1)</script>',
  '</title><img src=x onerror=alert(1)>',
  '\u202e000,1 XGU\u2066',
  'a'.repeat(1000),
]
