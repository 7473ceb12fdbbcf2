import { renderToString } from 'preact-render-to-string'
import type { Letter } from './words.ts'

const isAddress = (line: string) => /^https?:\/\/\S+$/.test(line)

/** A mail as plain text. */
export const textOf = ({ lines }: Letter): string => `${lines.join('\n\n')}\n`

/** The same as HTML: paragraphs and links, nothing that must be loaded. */
export const htmlOf = ({ subject, lines }: Letter): string =>
  `<!doctype html>${renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{subject}</title>
      </head>
      <body>
        <h1>{subject}</h1>
        {lines.map((line) => (
          <p>{isAddress(line) ? <a href={line}>{line}</a> : line}</p>
        ))}
      </body>
    </html>,
  )}`
