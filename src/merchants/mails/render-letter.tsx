import { renderToString } from 'preact-render-to-string'
import type { Contact } from './contacts.ts'
import type { Letter } from './letter.ts'

const isLink = (line: string) => /^https?:\/\/\S+$/.test(line)

/** What stands around the text of a mail: the greeting, how to reach us, and the reference that names the mail. */
export type LetterFrame = { greeting: string | null; reference: string; contacts: readonly Contact[] }

const footSays = (reference: string) => `Need help? Tell us the reference ${reference}.`

/** Renders a mail as plain text. Without contacts it has no foot. */
export function renderText({ lines }: Letter, { greeting, reference, contacts }: LetterFrame = NO_FRAME): string {
  const ways = contacts.map(({ name, written }) => `${name}: ${written}`)
  const foot = ways.length === 0 ? [] : [[footSays(reference), ...ways].join('\n')]
  return `${[...(greeting === null ? [] : [greeting]), ...lines, ...foot].join('\n\n')}\n`
}

const NO_FRAME: LetterFrame = { greeting: null, reference: '', contacts: [] }

/** A link as a button, with its address below for those whose mail programme shows none. */
const LinkButton = ({ href }: { href: string }) => (
  <p>
    <a
      href={href}
      style="display:inline-block;padding:12px 20px;border-radius:8px;background:#0b6b53;color:#fff;font-weight:bold;text-decoration:none"
    >
      Open
    </a>
    <br />
    <span style="color:#51605a;font-size:13px">{href}</span>
  </p>
)

const Foot = ({ reference, contacts }: Pick<LetterFrame, 'reference' | 'contacts'>) => (
  <p style="color:#51605a;font-size:13px">
    {footSays(reference)}
    {contacts.map(({ name, written, href }) => (
      <>
        <br />
        {name}: <a href={href}>{written}</a>
      </>
    ))}
  </p>
)

/** Renders a mail as HTML: paragraphs and links, and nothing that must be loaded. */
export const renderHtml = (
  { subject, lines }: Letter,
  { greeting, reference, contacts }: LetterFrame = NO_FRAME,
): string =>
  `<!doctype html>${renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>{subject}</title>
      </head>
      <body style="margin:0;padding:16px;background:#f2f5f3;color:#14201b;font:16px/1.5 sans-serif">
        <div style="max-width:520px;margin:0 auto;padding:24px;border-radius:12px;background:#fff">
          {greeting !== null && <p style="margin-top:0">{greeting}</p>}
          <h1 style="margin:0 0 16px;font-size:20px">{subject}</h1>
          {lines.map((line) => (isLink(line) ? <LinkButton href={line} /> : <p>{line}</p>))}
          {contacts.length > 0 && <Foot reference={reference} contacts={contacts} />}
        </div>
      </body>
    </html>,
  )}`
