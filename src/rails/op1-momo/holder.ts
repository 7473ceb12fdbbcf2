import type { Evidence, Holder } from '../rail.ts'
import { bodyOf, wordIn } from './answers.ts'
import { type Heard, storable } from './transport.ts'

const MOST_NAME = 120

/**
 * Reads from two answers whether the wallet is active, and its holder's name (rails.md 3.5). Nothing else about the person is kept.
 * Without a name the holder is returned with null.
 */
export function readHolder(active: Heard, person: Heard, evidence: Evidence): Holder {
  const isActive = readActive(active)
  if (isActive === 'unknown') return { active: 'unknown', evidence }
  return { active: isActive, name: isActive ? nameOf(person) : null }
}

function readActive(heard: Heard): boolean | 'unknown' {
  if (heard.status === 404) return false
  if (heard.status !== 200) return 'unknown'
  const result = bodyOf(heard)?.result
  if (result === true || result === 'true') return true
  return result === false || result === 'false' ? false : 'unknown'
}

function nameOf(heard: Heard): string | null {
  if (heard.status !== 200) return null
  const body = bodyOf(heard)
  const parts = [wordIn(body, 'given_name'), wordIn(body, 'family_name')].filter((part) => part !== null)
  const name = parts.length > 0 ? parts.join(' ') : wordIn(body, 'name')
  return name === null ? null : storable(name, MOST_NAME)
}
