import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import { sized } from '../../../../test/helpers/service/parts.ts'
import { newServerSocket } from './server-socket.ts'

const HEAD_BYTES = 5

/** A message as the server sends it, with a body of so many bytes that is unlike its neighbours'. */
function message(bytes: number, nth: number): Buffer {
  const made = Buffer.alloc(HEAD_BYTES + bytes, nth % 251)
  made.write('d')
  made.writeUInt32BE(4 + bytes, 1)
  return made
}

/** Sends the pieces one after the other and answers what was heard of them, with the memory that each came in. */
async function heard(pieces: readonly Buffer[]) {
  const server = createServer((peer) => void send(peer, pieces)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = newServerSocket()
  const copies: Buffer[] = []
  const memories = new Set<ArrayBufferLike>()
  socket.on('data', (part: Buffer) => {
    copies.push(Buffer.from(part))
    memories.add(part.buffer)
  })
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'end')
  socket.destroy()
  server.close()
  return { copies, memories }
}

async function send(peer: Socket, pieces: readonly Buffer[]): Promise<void> {
  peer.setNoDelay(true)
  for (const piece of pieces) await new Promise((resolve) => peer.write(piece, resolve))
  peer.end()
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...new Set(at.map((part) => Math.floor(part * bytes.length)))].sort((a, b) => a - b)
  return [...ends, bytes.length].map((end, nth) => bytes.subarray(nth === 0 ? 0 : ends[nth - 1], end))
}

/** Fails unless these bytes are messages from end to end. */
function areWhole(part: Buffer): void {
  let at = 0
  while (at < part.length) at += 1 + part.readUInt32BE(at + 1)
  assert.equal(at, part.length)
}

test('whole messages are heard in their order, wherever they are cut', async () => {
  const lengths = fc.array(
    fc.oneof(fc.nat(300), fc.integer({ min: 30_000, max: 70_000 }), fc.constantFrom(0, 65_531, 300_000)),
    { minLength: 1, maxLength: 40 },
  )
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(lengths, cuts, async (bytes, at) => {
      const sent = Buffer.concat(bytes.map(message))
      const { copies } = await heard(cut(sent, at))
      for (const part of copies) areWhole(part)
      assert.ok(Buffer.concat(copies).equals(sent))
    }),
    { numRuns: sized(8, 60) },
  )
})

test('ten megabytes of short messages come in the same memory', async () => {
  const sent = Buffer.concat(Array.from({ length: 100_000 }, (_, nth) => message(100, nth)))
  const { copies, memories } = await heard([sent])
  assert.ok(Buffer.concat(copies).equals(sent))
  assert.equal(memories.size, 1)
})

/** A server, and one of our sockets connected to it with its other end. */
async function connected() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const connect = async () => {
    const accepted = once(server, 'connection') as Promise<[Socket]>
    const socket = newServerSocket()
    socket.connect((server.address() as AddressInfo).port, '127.0.0.1')
    const [peer] = await accepted
    return { socket, peer }
  }
  return { connect, close: () => server.close() }
}

test('after a long message the memory of short ones is used again', async () => {
  const { connect, close } = await connected()
  const { socket, peer } = await connect()
  const memories: ArrayBufferLike[] = []
  for (const bytes of [1, 1_000_000, 1]) {
    const heardAll = once(socket, 'data') as Promise<[Buffer]>
    peer.write(message(bytes, 1))
    const [part] = await heardAll
    assert.equal(part.length, HEAD_BYTES + bytes)
    memories.push(part.buffer)
  }
  assert.notEqual(memories[1], memories[0])
  assert.equal(memories[2], memories[0])
  socket.destroy()
  peer.destroy()
  close()
})

test('nothing is heard while it is paused', async () => {
  const { connect, close } = await connected()
  const [paused, other] = [await connect(), await connect()]
  const parts: number[] = []
  paused.socket.on('data', (part: Buffer) => {
    parts.push(part.length)
    paused.socket.pause()
  })
  const first = once(paused.socket, 'data')
  paused.peer.write(message(10, 1))
  await first
  await new Promise((resolve) => paused.peer.write(message(20, 2), resolve))
  // What is sent later on another connection is heard: the paused one had its turn.
  const later = once(other.socket, 'data')
  other.peer.write(message(1, 3))
  await later
  assert.deepEqual(parts, [HEAD_BYTES + 10])
  const again = once(paused.socket, 'data')
  paused.socket.resume()
  await again
  assert.deepEqual(parts, [HEAD_BYTES + 10, HEAD_BYTES + 20])
  for (const { socket, peer } of [paused, other]) {
    socket.destroy()
    peer.destroy()
  }
  close()
})
