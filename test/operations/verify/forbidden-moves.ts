import { type Moves, mayMove } from '../../../src/platform/moves.ts'

/** Every pair of different states that is not an allowed move. */
export function forbiddenMoves(moves: Moves<string>): [from: string, to: string][] {
  const states = Object.keys(moves)
  return states.flatMap((from) =>
    states.filter((to) => to !== from && !mayMove(moves, from, to)).map((to): [string, string] => [from, to]),
  )
}
