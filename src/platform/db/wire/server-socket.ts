import { type OnReadOpts, Socket, type SocketConstructorOpts } from 'node:net'

// The size in which Node reads by itself.
const USUAL_BYTES = 64 * 1024
// A message begins with a letter, and a length that counts itself but not the letter.
const LETTER_BYTES = 1
const HEAD_BYTES = 5

/**
 * Makes a socket for a connection to the server that reads into the same memory again and again. By itself Node takes new memory for each
 * piece. V8 counts it and searches the whole heap after some megabytes: four times a second during a long COPY, in four threads, and
 * payments waited for a processor meanwhile (decision 33).
 *
 * It emits whole messages only, as 'data': the driver would keep the memory of a message that is cut. The bytes are valid until the
 * listener returns: the driver makes texts of values at once, and copy-out.ts copies its rows. Over TLS Node decrypts into memory of
 * its own.
 */
export function newServerSocket({ ssl }: { ssl?: unknown } = {}): Socket {
  if (ssl) return new Socket()
  const usual = Buffer.allocUnsafeSlow(USUAL_BYTES)
  let memory: Buffer = usual
  let kept = 0
  const onread: OnReadOpts = {
    buffer: () => memory.subarray(kept),
    callback: (bytes) => {
      const end = kept + bytes
      const whole = endOfWholeMessages(memory, end)
      if (whole > 0) socket.emit('data', memory.subarray(0, whole))
      kept = end - whole
      // Half of it stays free, so that a long message is read in few pieces and each byte of it is moved once or twice.
      const next = kept * 2 <= USUAL_BYTES ? usual : withRoom(memory, kept * 2)
      memory.copy(next, 0, whole, end)
      memory = next
      return true
    },
  }
  // Node takes `onread` here; its types for Node 20 know it at connect() alone.
  const socket = new Socket({ onread } as SocketConstructorOpts)
  return socket
}

function endOfWholeMessages(memory: Buffer, end: number): number {
  let at = 0
  while (at + HEAD_BYTES <= end) {
    const next = at + LETTER_BYTES + memory.readUInt32BE(at + LETTER_BYTES)
    if (next > end) break
    at = next
  }
  return at
}

const withRoom = (memory: Buffer, bytes: number): Buffer =>
  memory.length >= bytes ? memory : Buffer.allocUnsafeSlow(bytes)
