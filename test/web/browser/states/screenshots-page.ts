/** One screenshot: its page, its file, and the size, language and colour scheme. */
export type Picture = { state: string; file: string; about: string }

const STYLE = `
  body { margin: 1rem; background: #777; color: #fff; font: 14px system-ui, sans-serif; }
  section { margin-bottom: 2rem; }
  div { display: flex; gap: 1rem; align-items: flex-start; overflow-x: auto; }
  figure { flex: none; margin: 0; }
  figcaption { padding: .25rem 0; }
  img { max-height: 32rem; max-width: 40rem; }`

/** All pictures on one page, one row for each state. Nothing in it comes from user input. */
export function screenshotsPage(pictures: readonly Picture[]): string {
  const states = [...new Set(pictures.map(({ state }) => state))]
  const rows = states.map((state) => {
    const own = pictures.filter((picture) => picture.state === state)
    return `<section><h2>${state}</h2><div>${own.map(figure).join('')}</div></section>`
  })
  const head = `<meta charset="utf-8"><title>Screenshots</title><style>${STYLE}</style>`
  return `<!doctype html><html lang="en"><head>${head}</head><body><h1>Screenshots</h1>${rows.join('\n')}</body></html>\n`
}

const figure = ({ file, about, state }: Picture) =>
  `<figure><figcaption>${about}</figcaption><a href="${file}"><img src="${file}" alt="${state}, ${about}" loading="lazy"></a></figure>`
