/** The meta elements that every page begins with. */
export const BasicMeta = () => (
  <>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </>
)

/** Reloads the page in a browser without scripts. */
export function NoScriptRefresh({ seconds, url }: { seconds: number; url?: string }) {
  return (
    <noscript>
      <meta http-equiv="refresh" content={url === undefined ? `${seconds}` : `${seconds};url=${url}`} />
    </noscript>
  )
}
