import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Where the line ends: before anything was sent, inside the request, after it, and inside the answer. */
export type CutPlace =
  | 'before_anything'
  | 'in_request_head'
  | 'in_request_body'
  | 'under_way'
  | 'before_answer'
  | 'in_answer_head'
  | 'in_answer_body'

const END_OF_HEAD = '\r\n\r\n'

/** A line to a service whose first connection is cut at this place. Later ones hold. */
export async function openCutLine(serviceUrl: string, place: CutPlace) {
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    const service = () => {
      const socket = connect(Number(new URL(serviceUrl).port), '127.0.0.1')
      return keep(sockets, socket)
    }
    keep(sockets, client)
    if (connections > 1) client.pipe(service()).pipe(client)
    else if (place === 'before_anything') client.destroy()
    else cutAt(place, client, service())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function keep(sockets: Set<Socket>, socket: Socket): Socket {
  sockets.add(socket)
  // Its end is what is tried here.
  socket.on('error', () => {})
  return socket
}

async function cutAt(place: CutPlace, client: Socket, service: Socket): Promise<void> {
  const request = await wholeMessage(client)
  const head = request.indexOf(END_OF_HEAD) + END_OF_HEAD.length
  if (place === 'in_request_head' || place === 'in_request_body') {
    const sent = place === 'in_request_head' ? head / 2 : head + (request.length - head) / 2
    service.end(request.subarray(0, Math.floor(sent)))
    client.destroy()
    return
  }
  service.write(request)
  // The service goes on with what it was asked.
  if (place === 'under_way') return void client.destroy()
  const answer = await wholeMessage(service)
  const answerHead = answer.indexOf(END_OF_HEAD) + END_OF_HEAD.length
  if (place === 'before_answer') client.destroy()
  else if (place === 'in_answer_head') client.end(answer.subarray(0, Math.floor(answerHead / 2)))
  else client.end(answer.subarray(0, Math.floor((answerHead + answer.length) / 2)))
  service.destroy()
}

/** The bytes of one message, whose length its head says. */
async function wholeMessage(socket: Socket): Promise<Buffer> {
  let message = Buffer.alloc(0)
  return await new Promise((resolve) => {
    const take = (piece: Buffer) => {
      message = Buffer.concat([message, piece])
      const head = message.indexOf(END_OF_HEAD)
      if (head === -1) return
      const length = Number(/^content-length: *(\d+)/im.exec(message.subarray(0, head).toString())?.[1] ?? 0)
      if (message.length < head + END_OF_HEAD.length + length) return
      socket.off('data', take)
      resolve(message)
    }
    socket.on('data', take)
  })
}
