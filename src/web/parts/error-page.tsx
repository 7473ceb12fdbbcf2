/** The content of an error page: what went wrong, in one sentence. The frame shows the reference of the request. */
export const ErrorPage = ({ title, says }: { title: string; says: string }) => (
  <>
    <h1>{title}</h1>
    <p>{says}</p>
  </>
)
