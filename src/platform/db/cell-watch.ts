import type { Clock } from '../time/clock.ts'
import type { Database } from './database.ts'

/** A cell that does not answer this process, the place of its node where it has one, and since when. */
export type AwayCell = { cell: string; node: string | null; since: Date }

/** Knows which cells answer this process. */
export type CellWatch = {
  /** Asks every cell, and returns those that do not answer. Never throws; a silent cell counts as away after a second. */
  look(): Promise<readonly AwayCell[]>
  /** Returns what the last look found. */
  away(): readonly AwayCell[]
  /** Those of these cells that answered the last look; all of them where none did, so that whoever reads hears why. */
  reached<One extends { cell: string }>(cells: readonly One[]): readonly One[]
}

type CellWatchOptions = {
  cells: () => readonly { cell: string; db: Pick<Database, 'works'> }[]
  nodeOf(cell: string): string | null
  clock: Clock
}
type Watched = { answer: Promise<boolean> | null; since: Date | null }

// Whoever asks for the state of the service must hear of the cells that work though one is silent.
const SILENT_MS = 1000

export function newCellWatch({ cells, nodeOf, clock }: CellWatchOptions): CellWatch {
  const known = new Map<string, Watched>()

  /** Asks one cell. While it has not answered, nobody asks it again. */
  function ask(cell: string, db: Pick<Database, 'works'>): Promise<boolean> {
    const watched = known.get(cell) ?? { answer: null, since: null }
    known.set(cell, watched)
    watched.answer ??= db.works().finally(() => {
      watched.answer = null
    })
    return watched.answer
  }

  const away = () =>
    [...known].flatMap(([cell, { since }]) => (since === null ? [] : { cell, node: nodeOf(cell), since }))

  return {
    away,
    reached: (all) => {
      const rest = all.filter(({ cell }) => (known.get(cell)?.since ?? null) === null)
      return rest.length === 0 ? all : rest
    },
    async look() {
      const all = cells()
      // There is nobody else to speak of.
      const silentMs = all.length === 1 ? null : SILENT_MS
      await Promise.all(
        all.map(async ({ cell, db }) => {
          const answers = await withinTime(ask(cell, db), silentMs)
          const watched = known.get(cell)
          if (watched !== undefined) watched.since = answers ? null : (watched.since ?? clock.now())
        }),
      )
      return away()
    },
  }
}

function withinTime(answer: Promise<boolean>, silentMs: number | null): Promise<boolean> {
  if (silentMs === null) return answer
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, silentMs, false)
    void answer.then((value) => {
      clearTimeout(timer)
      resolve(value)
    })
  })
}

/** The cells that a page over all of them reads: whoever looks at it is told which are missing. */
export const reachedCells = <One extends { cell: string }>(gateway: {
  cells: readonly One[]
  cellWatch: CellWatch
}): readonly One[] => gateway.cellWatch.reached(gateway.cells)

/** Says of a cell that it does not answer, and where it lies. */
export const describeAway = ({ cell, node }: AwayCell): string =>
  `${cell} does not answer${node === null ? '' : ` (node ${node})`}`
