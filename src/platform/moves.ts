/** From which state a thing may go to which, and the event that tells its merchant; null where nobody is told. */
export type Moves<Status extends string, Event extends string = string> = Readonly<
  Record<Status, Readonly<Partial<Record<Status, Event | null>>>>
>

/** The states of a table of moves, in its order. */
export const statesOf = <Status extends string>(moves: Moves<Status>) => Object.keys(moves) as Status[]

/** Whether the table has this move. */
export const mayMove = <Status extends string>(moves: Moves<Status>, from: Status, to: Status): boolean =>
  Object.hasOwn(moves[from], to)

/** The table as lines of Markdown, one for each state. */
export function movesText(title: string, moves: Moves<string>): string {
  const next = (to: string, event: string | null | undefined) =>
    event ? `\`${to}\` (\`${event}\`)` : `\`${to}\``
  const lines = Object.entries(moves).map(([from, after]) => {
    const all = Object.entries(after).map(([to, event]) => next(to, event))
    return `- \`${from}\`${all.length === 0 ? ', for good' : ` -> ${all.join(', ')}`}`
  })
  return [`${title}:`, ...lines].join('\n')
}
