import { badRequest } from '../../../platform/refusal.ts'
import type { CellCursor } from './search-cell.ts'
import type { ListPosition } from './walk.ts'

// Cursors of the list of payments, as they stand in addresses. One position serves all cells while the list is walked; in a search each
// cell has its own cursor.

const WALK_CURSOR = /^w(\d{1,16})-([a-z0-9_~]{1,60})$/
const CELL_CURSOR = /^([a-z0-9_]{1,63})\.(?:r(\d{1,16})-([a-z0-9_~]{1,60})|n(\d{1,9})-(\d{1,5}))$/
const MAX_CELLS = 1000

export const formatWalkCursor = ({ at, id }: ListPosition): string => `w${at.getTime()}-${id}`

/** Throws 400. */
export function parseWalkCursor(cursor: string): ListPosition {
  const [, ms = '', id = ''] = WALK_CURSOR.exec(cursor) ?? []
  return parsePosition(ms, id)
}

/** Formats the cursors of all cells, without those that are at their end. */
export const formatSearchCursor = (cursors: ReadonlyMap<string, CellCursor>): string =>
  [...cursors].flatMap(([cell, cursor]) => (cursor === null ? [] : [`${cell}.${formatCellCursor(cursor)}`])).join(',')

const formatCellCursor = (cursor: NonNullable<CellCursor>): string => {
  if ('recent' in cursor) return `r${cursor.recent.at.getTime()}-${cursor.recent.id}`
  return cursor.numbered === null ? '' : `n${cursor.numbered.segment}-${cursor.numbered.position}`
}

/** Throws 400. */
export function parseSearchCursor(cursorText: string): ReadonlyMap<string, CellCursor> {
  const texts = cursorText.split(',', MAX_CELLS + 1)
  if (texts.length > MAX_CELLS) throw badRequest('invalid cursor')
  return new Map(texts.map(parseCellCursor))
}

function parseCellCursor(text: string): [string, CellCursor] {
  const [, cell = '', ms, id = '', segment, position] = CELL_CURSOR.exec(text) ?? []
  if (cell === '') throw badRequest('invalid cursor')
  if (ms !== undefined) return [cell, { recent: parsePosition(ms, id) }]
  return [cell, { numbered: { segment: Number(segment), position: Number(position) } }]
}

function parsePosition(ms: string, id: string): ListPosition {
  const at = new Date(Number(ms))
  if (ms === '' || Number.isNaN(at.getTime())) throw badRequest('invalid cursor')
  return { at, id }
}
