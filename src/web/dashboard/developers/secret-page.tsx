import type { ComponentChildren } from 'preact'
import { CopyBox, Note } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'

type SecretPageProps = { title: string; label: string; secret: string; back: { href: string; name: string } }

/** Renders the only page that holds a secret. It is the answer to the form that asked for it: no address leads to it. */
export const renderSecretPage = (
  { title, label, secret, back }: SecretPageProps,
  ...lines: (string | ComponentChildren)[]
): SurfaceReply =>
  pageReply(
    title,
    <>
      <h1>{title}</h1>
      <Note tone="warn">
        {lines.map((line) => (
          <p>{line}</p>
        ))}
      </Note>
      <CopyBox text={secret} label={label} />
      <p>
        <a class="button plain" href={back.href}>
          {back.name}
        </a>
      </p>
    </>,
  )
