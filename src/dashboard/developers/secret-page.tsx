import type { ComponentChildren } from 'preact'
import { Copy, Note } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'

type Secret = { title: string; label: string; secret: string; back: { href: string; name: string } }

/** Renders the only page that holds a secret. It is the answer to the form that asked for it: no address leads to it. */
export const secretPage = (
  { title, label, secret, back }: Secret,
  ...lines: (string | ComponentChildren)[]
): Shown =>
  shownPage(
    title,
    <>
      <h1>{title}</h1>
      <Note tone="warn">
        {lines.map((line) => (
          <p>{line}</p>
        ))}
      </Note>
      <Copy text={secret} label={label} />
      <p>
        <a class="button plain" href={back.href}>
          {back.name}
        </a>
      </p>
    </>,
  )
