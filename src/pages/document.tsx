/** What every page says first of itself. */
export const Basics = () => (
  <>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
  </>
)

/** Loads the page again where no script runs. */
export function Refresh({ seconds, url }: { seconds: number; url?: string }) {
  return (
    <noscript>
      <meta http-equiv="refresh" content={url === undefined ? `${seconds}` : `${seconds};url=${url}`} />
    </noscript>
  )
}
