import { bareAmount, parseShillings } from '../../../../platform/text/shillings.ts'
import { echo } from '../../../../platform/text/text.ts'
import { cleanCell } from './read-file.ts'

/** Whole shillings, or why a cell holds none. */
type AmountReading = { amount: number } | { fault: string }

const PART = /^\d{1,16}[.,]\d+$/
const BELOW_ZERO = /^-\s*\d|^\(\d[^)]*\)$/
export const SCIENTIFIC = /^[+-]?\d(?:[.,]\d+)?e[+-]?\d{1,3}$/i
const EXCEL_FAULT = /^#[A-Z0-9/?!]*[!?A0]$/i
const TOO_NARROW = /^#+$/
const MAX_CHARACTERS = 60
const WRITE = 'write whole shillings, such as 5000'

/** Reads the amount of a cell as people and spreadsheets write it: `5000`, `5,000`, `UGX 5,000/=`, `7500.00`. */
export function readAmount(cell: string): AmountReading {
  const text = cleanCell(cell)
  if (text === '') return { fault: `the amount is empty; ${WRITE}` }
  const shown = echo(text)
  if (text.length > MAX_CHARACTERS) return { fault: `${shown} is no amount; ${WRITE}` }
  if (SCIENTIFIC.test(text)) return { fault: `${shown} is the short form in which Excel shows a long number; ${WRITE}` }
  if (TOO_NARROW.test(text))
    return { fault: `${shown} is what Excel shows where a column is too narrow; make it wider` }
  if (EXCEL_FAULT.test(text)) return { fault: `${shown} is a fault of a formula in Excel; ${WRITE}` }
  const amount = parseShillings(text)
  if (amount !== null) return { amount }
  const bare = bareAmount(text)
  if (BELOW_ZERO.test(bare)) return { fault: `the amount ${shown} is below zero; ${WRITE}` }
  if (PART.test(bare)) return { fault: `${shown} has a part of a shilling; ${WRITE}` }
  return { fault: `${shown} is no amount; ${WRITE}` }
}
