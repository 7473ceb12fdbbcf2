import { badRequest } from '../../platform/refusal.ts'
import type { CellPlace } from './search-cell.ts'
import type { Mark } from './walk.ts'

// Cursors of the list of payments as they stand in addresses. One mark serves all cells while the list is walked; each cell has its own
// place in a search.

const WALK = /^w(\d{1,16})-([a-z0-9_~]{1,60})$/
const CELL = /^([a-z0-9_]{1,63})\.(?:r(\d{1,16})-([a-z0-9_~]{1,60})|n(\d{1,9})-(\d{1,5}))$/
const MOST_CELLS = 1000

export const writeWalk = ({ at, id }: Mark): string => `w${at.getTime()}-${id}`

/** Throws 400. */
export function readWalk(cursor: string): Mark {
  const [, ms = '', id = ''] = WALK.exec(cursor) ?? []
  return markOf(ms, id)
}

/** Cells whose search is at its end are left out. */
export const writePlaces = (places: ReadonlyMap<string, CellPlace>): string =>
  [...places].flatMap(([cell, place]) => (place === null ? [] : [`${cell}.${placeText(place)}`])).join(',')

const placeText = (place: NonNullable<CellPlace>): string => {
  if ('recent' in place) return `r${place.recent.at.getTime()}-${place.recent.id}`
  return place.numbered === null ? '' : `n${place.numbered.segment}-${place.numbered.position}`
}

/** Throws 400. */
export function readPlaces(cursor: string): ReadonlyMap<string, CellPlace> {
  const texts = cursor.split(',', MOST_CELLS + 1)
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
