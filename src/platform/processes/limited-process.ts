import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { assert } from '../assert.ts'

/** How much time and memory a process may take, and how many bytes it may write. */
type ProcessLimits = { seconds: number; megabytes: number; mostBytes: number }

/**
 * Runs a script of ours in a process of its own, without our environment and open files: writes `input` to it and returns what it writes.
 * Returns null, and kills it, when it fails or exceeds its limits of time, memory or output. For parsers that may have security holes and
 * read files of strangers.
 */
export function runLimitedProcess(
  script: URL,
  input: readonly Buffer[],
  limits: ProcessLimits,
): Promise<Buffer | null> {
  const { seconds, megabytes, mostBytes } = limits
  assert(Number.isInteger(megabytes) && Number.isInteger(seconds), 'limits are whole numbers')
  // The shell sets what the kernel enforces: memory, time on the processor, and that no file is written. Only Linux limits memory so.
  const memory = process.platform === 'linux' ? `ulimit -v ${megabytes * 1024} && ` : ''
  const bounds = `${memory}ulimit -t ${seconds} && ulimit -f 0 && ulimit -c 0 && exec "$0" "$@"`
  const node = [process.execPath, '--max-old-space-size=256', '--disable-wasm-trap-handler', fileURLToPath(script)]
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', bounds, ...node], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {},
      cwd: '/',
    })
    const pieces: Buffer[] = []
    let size = 0
    const finish = (output: Buffer | null) => {
      clearTimeout(hung)
      child.kill('SIGKILL')
      resolve(output)
    }
    const hung = setTimeout(() => finish(null), seconds * 1000)
    child.on('error', () => finish(null))
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length
      if (size > mostBytes) finish(null)
      else pieces.push(piece)
    })
    child.on('close', (code) => finish(code === 0 && size > 0 ? Buffer.concat(pieces) : null))
    // The process may die before it has read all input.
    child.stdin.on('error', () => {})
    for (const piece of input) child.stdin.write(piece)
    child.stdin.end()
  })
}
