import type { Language } from './view.ts'

export const LANGUAGES: readonly Language[] = ['en', 'lg', 'sw']

/** Takes the language of the address, else of the cookie, else the browser's preferred one, else English (G50a). */
export function chooseLanguage(sources: {
  query: string | undefined
  cookie: string | undefined
  browser: string | undefined
}): Language {
  return (
    findLanguage(sources.query) ?? findLanguage(sources.cookie) ?? findPreferredLanguage(sources.browser ?? '') ?? 'en'
  )
}

export const findLanguage = (text: string | undefined): Language | null =>
  LANGUAGES.find((language) => language === text) ?? null

/** Finds the preferred language of Accept-Language that has a catalogue: `sw-UG, en;q=0.8` is Swahili. */
function findPreferredLanguage(header: string): Language | null {
  const preferences = header
    .slice(0, 200)
    .split(',')
    .map((part) => {
      const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
      return {
        language: findLanguage(tag.split('-')[0]),
        quality: quality === undefined ? 1 : Number(quality),
      }
    })
    .filter(({ quality }) => quality > 0)
  const sorted = preferences.sort((a, b) => b.quality - a.quality)
  return sorted.find(({ language }) => language !== null)?.language ?? null
}
