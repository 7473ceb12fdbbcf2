import type { AnswerEvidence, WalletHolder } from '../rail.ts'
import { parseAnswerBody, parseWord } from './parse-answer.ts'
import { type OperatorReply, toStorableText } from './transport.ts'

const MAX_NAME_CHARACTERS = 120

/**
 * Reads from two answers whether the wallet is active, and its holder's name (rails.md 3.5). Nothing else about the person is kept.
 * Without a name the holder is returned with null.
 */
export function parseHolder(active: OperatorReply, person: OperatorReply, evidence: AnswerEvidence): WalletHolder {
  const isActive = parseActive(active)
  if (isActive === 'unknown') return { active: 'unknown', evidence }
  return { active: isActive, name: isActive ? parseName(person) : null }
}

function parseActive(heard: OperatorReply): boolean | 'unknown' {
  if (heard.status === 404) return false
  if (heard.status !== 200) return 'unknown'
  const result = parseAnswerBody(heard)?.result
  if (result === true || result === 'true') return true
  return result === false || result === 'false' ? false : 'unknown'
}

function parseName(heard: OperatorReply): string | null {
  if (heard.status !== 200) return null
  const body = parseAnswerBody(heard)
  const parts = [parseWord(body, 'given_name'), parseWord(body, 'family_name')].filter((part) => part !== null)
  const name = parts.length > 0 ? parts.join(' ') : parseWord(body, 'name')
  return name === null ? null : toStorableText(name, MAX_NAME_CHARACTERS)
}
