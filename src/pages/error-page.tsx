/** What went wrong, in one sentence. The frame says under which reference. */
export const ErrorPage = ({ title, says }: { title: string; says: string }) => (
  <>
    <h1>{title}</h1>
    <p>{says}</p>
  </>
)
