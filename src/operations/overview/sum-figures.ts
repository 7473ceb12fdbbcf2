import type { Mode } from '../../platform/mode.ts'
import { findEarliest } from '../../platform/time/earliest.ts'
import {
  BANDS_SECONDS,
  type BreakCount,
  type MovementNoun,
  SILENT_STATES,
  type SilentAddresses,
  type UnderWayBand,
} from './cell-figures.ts'
import type { ServiceFigures } from './service-figures.ts'

/** The live movements under way of one kind, by age range over all cells. */
export type MovementsUnderWay = {
  noun: MovementNoun
  bands: { count: number; amount: number }[]
  oldest: Date | null
}

const MODES: readonly Mode[] = ['test', 'live']
const NOUNS: readonly MovementNoun[] = ['charges', 'payouts', 'top-ups']

export const sumUnderWay = ({ cells }: ServiceFigures): MovementsUnderWay[] =>
  NOUNS.map((noun) => {
    const rows = cells.flatMap((cell) => cell.underWay).filter((row) => row.noun === noun)
    return {
      noun,
      bands: [...BANDS_SECONDS, null].map((_end, band) => sumBands(rows.filter((row) => row.band === band))),
      oldest: findEarliest(rows.map(({ oldest }) => oldest)),
    }
  })

const sumBands = (rows: readonly UnderWayBand[]) => ({
  count: rows.reduce((sum, { count }) => sum + count, 0),
  amount: rows.reduce((sum, { amount }) => sum + amount, 0),
})

/** Counts the open exceptions of one severity, of merchants and of the platform. */
export function sumBreaks(
  { cells, platformBreaks }: ServiceFigures,
  severity: BreakCount['severity'],
): { count: number; oldest: Date | null } {
  const rows = [...cells.flatMap(({ breaks }) => breaks), ...platformBreaks].filter((row) => row.severity === severity)
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    oldest: findEarliest(rows.map(({ oldest }) => oldest)),
  }
}

/** Counts the further webhook addresses that take nothing, by mode and why, over all cells. */
export function sumSilentAddresses({ cells }: ServiceFigures): SilentAddresses[] {
  const rows = cells.flatMap(({ addresses }) => addresses)
  return MODES.flatMap((mode) =>
    SILENT_STATES.map((state) => ({
      ...{ mode, state },
      count: rows.reduce((sum, row) => (row.mode === mode && row.state === state ? sum + row.count : sum), 0),
    })),
  )
}
