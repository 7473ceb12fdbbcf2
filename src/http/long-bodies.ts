import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const patient = new WeakMap<Socket, IncomingMessage>()

/**
 * The body of this request may take longer than others: whoever reads it says when it is too slow. Node tells of a request that has
 * not come to its end in time once, and goes on with it unless somebody closes the connection.
 */
export function allowLongBody(request: IncomingMessage): void {
  patient.set(request.socket, request)
}

/** Whether what arrives on this connection now is such a body. */
export const isLongBody = (socket: Socket): boolean => patient.get(socket)?.complete === false
