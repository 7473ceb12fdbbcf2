type AuditDetailsProps = {
  title: string
  entry: { before: unknown; after: unknown; requestId: string | null }
  /** Shown before the change, where entries of both modes stand together. */
  mode?: string | null
}

/** What an act changed, folded behind its title; nothing if the act has recorded no values. */
export const AuditDetails = ({ title, entry: { before, after, requestId }, mode }: AuditDetailsProps) =>
  before === null && after === null ? null : (
    <details class="raw">
      <summary>{title}</summary>
      <pre tabIndex={0} role="group" aria-label={title}>
        <code>
          {JSON.stringify({ ...(mode === undefined ? {} : { mode }), before, after, request: requestId }, null, 1)}
        </code>
      </pre>
    </details>
  )
