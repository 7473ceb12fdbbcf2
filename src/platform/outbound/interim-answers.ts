import type { Socket } from 'node:net'

const CONTINUE = /^HTTP\/1\.[01] 100(?=[ \r])/
const MAY_BE_CONTINUE = ['HTTP/1.1 100 ', 'HTTP/1.0 100 ', 'HTTP/1.1 100\r', 'HTTP/1.0 100\r']
const LONGEST_START = 'HTTP/1.1 100 '.length
// Where the three digits of the status stand.
const LAST_DIGIT = 'HTTP/1.1 10'.length
const DIGIT_2 = 0x32
const END_OF_HEAD = '\r\n\r\n'

/**
 * Makes a socket accept an unrequested `100 Continue` before an answer. Servers may send it for every POST (RFC 9110, 15.2), and undici
 * fails on it although it skips every other interim answer. So it is rewritten to 102.
 */
export function acceptInterimContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean
  // An answer begins with the first bytes read after something was written.
  let beginning = false
  let carried: Buffer | null = null
  socket.write = ((...args: unknown[]) => {
    beginning = true
    return write(...args)
  }) as Socket['write']
  socket.read = (size?: number) => {
    const chunk = read(size) as Buffer | null
    if (chunk === null || !beginning) return chunk
    const bytes: Buffer = carried === null ? chunk : Buffer.concat([carried, chunk])
    carried = null
    if (bytes.length < LONGEST_START && MAY_BE_CONTINUE.some((start) => start.startsWith(bytes.toString('latin1')))) {
      carried = bytes
      return null
    }
    beginning = rewriteContinues(bytes)
    return bytes
  }
  return socket
}

/** Rewrites each 100 at the beginning to 102. Returns whether the head of the answer may still begin in the next bytes. */
function rewriteContinues(bytes: Buffer): boolean {
  let at = 0
  while (CONTINUE.test(bytes.toString('latin1', at, at + LONGEST_START))) {
    bytes[at + LAST_DIGIT] = DIGIT_2
    const end = bytes.indexOf(END_OF_HEAD, at)
    if (end === -1) return false
    at = end + END_OF_HEAD.length
  }
  return at > 0 && at === bytes.length
}
