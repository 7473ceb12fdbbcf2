import { badRequest } from '../../platform/refusal.ts'
import type { CellPlace } from './search-cell.ts'
import type { Mark } from './walk.ts'

// Cursors of the list of payments, as they stand in addresses. One position serves all cells while the list is walked; in a search each
// cell has its own cursor.

const WALK = /^w(\d{1,16})-([a-z0-9_~]{1,60})$/
const CELL = /^([a-z0-9_]{1,63})\.(?:r(\d{1,16})-([a-z0-9_~]{1,60})|n(\d{1,9})-(\d{1,5}))$/
const MOST_CELLS = 1000

export const writeWalk = ({ at, id }: Mark): string => `w${at.getTime()}-${id}`

/** Throws 400. */
export function readWalk(cursor: string): Mark {
  const [, ms = '', id = ''] = WALK.exec(cursor) ?? []
  return markOf(ms, id)
}

/** Formats the cursors of all cells, without those that are at their end. */
export const writePlaces = (cursors: ReadonlyMap<string, CellPlace>): string =>
  [...cursors]
    .flatMap(([cell, cursor]) => (cursor === null ? [] : [`${cell}.${placeText(cursor)}`]))
    .join(',')

const placeText = (cursor: NonNullable<CellPlace>): string => {
  if ('recent' in cursor) return `r${cursor.recent.at.getTime()}-${cursor.recent.id}`
  return cursor.numbered === null ? '' : `n${cursor.numbered.segment}-${cursor.numbered.position}`
}

/** Throws 400. */
export function readPlaces(cursorText: string): ReadonlyMap<string, CellPlace> {
  const texts = cursorText.split(',', MOST_CELLS + 1)
  if (texts.length > MOST_CELLS) throw badRequest('invalid cursor')
  return new Map(texts.map(readPlace))
}

function readPlace(text: string): [string, CellPlace] {
  const [, cell = '', ms, id = '', segment, position] = CELL.exec(text) ?? []
  if (cell === '') throw badRequest('invalid cursor')
  if (ms !== undefined) return [cell, { recent: markOf(ms, id) }]
  return [cell, { numbered: { segment: Number(segment), position: Number(position) } }]
}

function markOf(ms: string, id: string): Mark {
  const at = new Date(Number(ms))
  if (ms === '' || Number.isNaN(at.getTime())) throw badRequest('invalid cursor')
  return { at, id }
}
