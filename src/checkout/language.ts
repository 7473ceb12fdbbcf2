import type { Language } from './view.ts'

const LANGUAGES: readonly Language[] = ['en', 'lg', 'sw']

/** The language in the address, else in the cookie, else the one the browser prefers; otherwise English (G50a). */
export function languageOf(asked: {
  query: string | undefined
  cookie: string | undefined
  browser: string | undefined
}): Language {
  return known(asked.query) ?? known(asked.cookie) ?? preferred(asked.browser ?? '') ?? 'en'
}

export const known = (text: string | undefined): Language | null =>
  LANGUAGES.find((language) => language === text) ?? null

/** The best language of Accept-Language that has a catalogue: `sw-UG, en;q=0.8` is Swahili. */
function preferred(header: string): Language | null {
  const wishes = header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return { language: known(tag.split('-')[0]), quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ quality }) => quality > 0)
  const sorted = wishes.sort((a, b) => b.quality - a.quality)
  return sorted.find(({ language }) => language !== null)?.language ?? null
}
