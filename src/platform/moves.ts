/** The states to which a thing may move from each state, with the event that its merchant gets; null where there is no event. */
export type Moves<Status extends string, Event extends string = string> = Readonly<
  Record<Status, Readonly<Partial<Record<Status, Event | null>>>>
>

/** The states of a table of moves, in its order. */
export const statesOf = <Status extends string>(moves: Moves<Status>) => Object.keys(moves) as Status[]

/** Whether the table has this move. */
export const mayMove = <Status extends string>(moves: Moves<Status>, from: Status, to: Status): boolean =>
  Object.hasOwn(moves[from], to)

/** Formats the table as lines of Markdown, one for each state. */
export function formatMoves(title: string, moves: Moves<string>): string {
  const next = (to: string, event: string | null | undefined) => (event ? `\`${to}\` (\`${event}\`)` : `\`${to}\``)
  const lines = Object.entries(moves).map(([from, after]) => {
    const targets = Object.entries(after).map(([to, event]) => next(to, event))
    return `- \`${from}\`${targets.length === 0 ? ', for good' : ` -> ${targets.join(', ')}`}`
  })
  return [`${title}:`, ...lines].join('\n')
}
