import { renderToString } from 'preact-render-to-string'
import type { Letter } from './letter.ts'

const isLink = (line: string) => /^https?:\/\/\S+$/.test(line)

/** Renders a mail as plain text. */
export const renderText = ({ lines }: Letter): string => `${lines.join('\n\n')}\n`

/** Renders a mail as HTML: paragraphs and links, and nothing that must be loaded. */
export const renderHtml = ({ subject, lines }: Letter): string =>
  `<!doctype html>${renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{subject}</title>
      </head>
      <body>
        <h1>{subject}</h1>
        {lines.map((line) => (
          <p>{isLink(line) ? <a href={line}>{line}</a> : line}</p>
        ))}
      </body>
    </html>,
  )}`
