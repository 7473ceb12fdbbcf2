import type { IncomingMessage } from 'node:http'
import { type InnerList, serializeInnerList, serializeItem } from 'structured-headers'

/** What a signature covers, by the names of RFC 9421: derived components begin with `@`, all others are headers. */
export const coveredNames = ([items]: InnerList): string[] => items.map(([name]) => String(name))

/**
 * Builds the text that was signed (RFC 9421, 2.5) of a request, for the components that `covered` lists; a text in `Error.message` says why
 * one cannot be. `target`: the request target as it arrived.
 */
export function buildSignatureBase(request: IncomingMessage, target: string, covered: InnerList): string {
  const lines = covered[0].map((item) => {
    const [name, parameters] = item
    if (typeof name !== 'string') throw new Error('a component is not a string')
    if (parameters.size > 0) throw new Error(`parameters of components are not supported, as of "${name}"`)
    return `${serializeItem(item)}: ${componentOf(name, request, target)}`
  })
  if (new Set(lines).size < lines.length) throw new Error('a component is listed twice')
  return [...lines, `"@signature-params": ${serializeInnerList(covered)}`].join('\n')
}

function componentOf(name: string, request: IncomingMessage, target: string): string {
  const queryAt = target.indexOf('?')
  switch (name) {
    case '@method':
      return request.method ?? ''
    case '@authority':
      return (request.headers.host ?? '').toLowerCase()
    case '@path':
      return queryAt === -1 ? target : target.slice(0, queryAt)
    case '@query':
      return queryAt === -1 ? '?' : target.slice(queryAt)
    case '@request-target':
      return target
    default:
      return headerOf(name, request)
  }
}

/** From the raw list: Node joins or drops repeats, and the frame writes over some headers. */
function headerOf(name: string, { rawHeaders }: IncomingMessage): string {
  if (name.startsWith('@'))
    throw new Error(`"${name}" is not supported: sign "@method", "@path" and "@query", or "@request-target"`)
  const values: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === name) values.push((rawHeaders[at + 1] ?? '').trim())
  if (values.length === 0) throw new Error(`the header "${name}" is signed and was not sent`)
  return values.join(', ')
}
