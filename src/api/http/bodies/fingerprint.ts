import { hash } from 'node:crypto'
import { canonicalJson } from '../../../platform/text/canonical-json.ts'

/** Computes what makes two requests the same: over method, path and canonical body; an empty body counts as `{}` (contract.md 3 n). */
export function fingerprintRequest(method: string, path: string, body: unknown): Buffer {
  return fingerprintText(method, path, canonicalJson(body ?? {}))
}

/** Computes the fingerprint from the canonical text of the body. */
export function fingerprintText(method: string, path: string, text: string): Buffer {
  // By way of a text: a digest that comes as a Buffer has memory of its own, which the collector must count and free.
  return Buffer.from(hash('sha256', `${method} ${path}\n${text}`, 'binary'), 'binary')
}
