import { earliest } from '../platform/earliest.ts'
import { BANDS_SECONDS, type Band, type Breaks, type Noun } from './cell-figures.ts'
import type { ServiceFigures } from './service-figures.ts'

/** The live movements under way of one kind, by age range over all cells. */
export type UnderWay = { noun: Noun; bands: { count: number; amount: number }[]; oldest: Date | null }

const NOUNS: readonly Noun[] = ['charges', 'payouts', 'top-ups']

export const underWay = ({ cells }: ServiceFigures): UnderWay[] =>
  NOUNS.map((noun) => {
    const rows = cells.flatMap((cell) => cell.underWay).filter((row) => row.noun === noun)
    return {
      noun,
      bands: [...BANDS_SECONDS, null].map((_end, band) => sumOf(rows.filter((row) => row.band === band))),
      oldest: earliest(rows.map(({ oldest }) => oldest)),
    }
  })

const sumOf = (rows: readonly Band[]) => ({
  count: rows.reduce((sum, { count }) => sum + count, 0),
  amount: rows.reduce((sum, { amount }) => sum + amount, 0),
})

/** Counts the open exceptions of one severity, of merchants and of the platform. */
export function breaksOf(
  { cells, platformBreaks }: ServiceFigures,
  severity: Breaks['severity'],
): { count: number; oldest: Date | null } {
  const rows = [...cells.flatMap(({ breaks }) => breaks), ...platformBreaks].filter(
    (row) => row.severity === severity,
  )
  return {
    count: rows.reduce((sum, { count }) => sum + count, 0),
    oldest: earliest(rows.map(({ oldest }) => oldest)),
  }
}
