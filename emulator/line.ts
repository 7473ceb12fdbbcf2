import { createServer, type RequestListener, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

const KEEP_ALIVE_MS = 10_000
/** Longer than a connection on one machine takes by far. */
const FULL_AFTER_MS = 150
const MOST_FILLERS = 8

/** A thread that listens and never accepts: the kernel takes connections until the queue is full, and then none. */
const DEAF = `
const { parentPort, workerData } = require('node:worker_threads')
const server = require('node:net').createServer()
server.listen({ ...workerData, backlog: 1 }, () => {
  parentPort.postMessage('listening')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})`

/** One address of the operator: it listens, is closed, or lets connections hang. */
export class Line {
  url = ''
  #port = 0
  #deaf: { worker: Worker; fillers: Socket[] } | null = null
  readonly #server: Server
  readonly #host: string

  constructor(host: string, listener: RequestListener) {
    this.#host = host
    this.#server = createServer(listener)
    this.#server.keepAliveTimeout = KEEP_ALIVE_MS
  }

  get isOpen(): boolean {
    return this.#server.listening
  }

  async listen(port = this.#port): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen(port, this.#host, () => {
        this.#server.off('error', reject)
        resolve()
      })
    })
    this.#port = (this.#server.address() as { port: number }).port
    this.url = `http://${this.#host}:${this.#port}`
  }

  /** Again at its own address. */
  async open(): Promise<void> {
    await this.#hear()
    if (!this.isOpen) await this.listen()
  }

  /** Nothing listens: connections are refused. */
  async shut(): Promise<void> {
    await this.#hear()
    if (!this.isOpen) return
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
  }

  /** Connections are neither taken nor refused. */
  async goDeaf(): Promise<void> {
    await this.shut()
    const worker = new Worker(DEAF, { eval: true, workerData: { port: this.#port, host: this.#host } })
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
    })
    const fillers: Socket[] = []
    this.#deaf = { worker, fillers }
    for (let isFull = false; !isFull && fillers.length < MOST_FILLERS; )
      isFull = !(await connects(fillers, { port: this.#port, host: this.#host }))
  }

  async #hear(): Promise<void> {
    const deaf = this.#deaf
    this.#deaf = null
    for (const socket of deaf?.fillers ?? []) socket.destroy()
    await deaf?.worker.terminate()
  }
}

/** Whether one more connection is taken. */
const connects = (fillers: Socket[], to: { port: number; host: string }): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(to, () => resolve(true)).on('error', () => resolve(false))
    fillers.push(socket)
    setTimeout(() => resolve(false), FULL_AFTER_MS)
  })
