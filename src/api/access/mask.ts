import { maskPhone } from '../../platform/text/phone.ts'

const SECRET_NAME = /secret|password|token|ciphertext|^key$|^code$|_code$/i
const PHONE_NAME = /phone|^contact$/i
const MAIL_NAME = /^e?mail$/i
const API_KEY = /\b[sp]k_(?:test|live)_\w*(\w{4})\b/g
const SECRET = /\b(?:whsec_|dsec_)[\w+/=-]+/g

/**
 * Copies a value as the audit may store it: no secret, no whole phone or address, of keys the last four characters. Callers already
 * choose what they pass; this catches what they missed.
 */
export const maskSecrets = (value: unknown): unknown => maskMember('', value)

function maskMember(name: string, value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) return value.map((item) => maskMember(name, item))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, maskMember(key, member)]))
  return typeof value === 'string' ? maskText(name, value) : value
}

function maskText(name: string, text: string): string {
  if (SECRET_NAME.test(name)) return '***'
  if (PHONE_NAME.test(name)) return maskPhone(text)
  if (MAIL_NAME.test(name)) return text.replace(/^(.).*@/s, '$1***@')
  return text.replace(API_KEY, '...$1').replace(SECRET, '***')
}
