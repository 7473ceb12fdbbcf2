import { invalidRequest } from '../refusal.ts'
import { hasForbiddenControl } from './text.ts'

/**
 * Parses a text of several lines that a person typed: without blanks around it, each line ending in one character. Throws 400 for an empty
 * or too long one, and for control characters; its text names the field.
 */
export function parseTypedText(
  typed: string,
  { field, maxCharacters }: { field: string; maxCharacters: number },
): string {
  const text = typed.replace(/\r\n/g, '\n').trim()
  if (text === '' || text.length > maxCharacters)
    throw invalidRequest(`${field} must be 1 to ${maxCharacters} characters`, field)
  if (hasForbiddenControl(text, true)) throw invalidRequest(`${field} contains control characters`, field)
  return text
}
