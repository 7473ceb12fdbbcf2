import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { assert } from './assert.ts'

/** What a process may take, and what it may answer. */
export type ProcessLimits = { seconds: number; megabytes: number; mostBytes: number }

/**
 * Runs a script of ours in a process of its own, with nothing of our environment and no file of ours open, gives it these bytes and
 * answers what it writes. Null when it fails, takes longer, more memory, or writes more: then it is killed. For what reads files of
 * strangers with a parser that may have holes.
 */
export function runLimited(
  script: URL,
  input: readonly Buffer[],
  limits: ProcessLimits,
): Promise<Buffer | null> {
  const { seconds, megabytes, mostBytes } = limits
  assert(Number.isInteger(megabytes) && Number.isInteger(seconds), 'limits are whole numbers')
  // The shell sets what the kernel enforces: memory, time on the processor, and that no file is written. Only Linux limits memory so.
  const memory = process.platform === 'linux' ? `ulimit -v ${megabytes * 1024} && ` : ''
  const bounds = `${memory}ulimit -t ${seconds} && ulimit -f 0 && ulimit -c 0 && exec "$0" "$@"`
  const node = [
    process.execPath,
    '--max-old-space-size=256',
    '--disable-wasm-trap-handler',
    fileURLToPath(script),
  ]
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', bounds, ...node], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
      cwd: '/',
    })
    const pieces: Buffer[] = []
    let size = 0
    const end = (made: Buffer | null) => {
      clearTimeout(hung)
      child.kill('SIGKILL')
      resolve(made)
    }
    const hung = setTimeout(() => end(null), seconds * 1000)
    child.on('error', () => end(null))
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > mostBytes) end(null)
      else pieces.push(piece)
    })
    child.on('close', (code) => end(code === 0 && size > 0 ? Buffer.concat(pieces) : null))
    // It may die before it has read everything.
    child.stdin.on('error', () => {})
    for (const piece of input) child.stdin.write(piece)
    child.stdin.end()
  })
}
