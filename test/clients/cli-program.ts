// The command line as people run it: the built file, in a process of its own with a home of its own.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Ran, runFile } from '../helpers/service/command-line.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { ROOT } from './sdk-cases.ts'

/** A person with a home, a key in the environment and an address of the gateway, who runs commands. */
export type CliUser = {
  settings: Record<string, string>
  home: string
  run(words: string, input?: string): Promise<Ran>
  /** Runs `mmg WORDS --json`, and reads what it prints. */
  json(words: string, input?: string): Promise<any>
  /** Writes a file into the home. Returns its path. */
  file(name: string, text: string): string
  /** Starts a command that goes on until it is ended. */
  start(words: string): RunningCli
  /** Runs a command in a terminal, and types `text` once `prompt` is shown. Returns what the terminal shows. */
  inTerminal(words: string, typing?: [prompt: RegExp, text: string]): Promise<string>
}

export type RunningCli = {
  /** What it has printed so far. */
  said: Ran
  says(text: RegExp): Promise<RegExpExecArray>
  /** Ends it as Ctrl-C does. */
  interrupt(): Promise<Ran>
}

// Of util-linux; that of macOS has other words, and Windows has none.
export const onTerminal = {
  skip: spawnSync('script', ['--version']).status === 0 ? false : 'there is no program `script` of util-linux here',
}

// A program that waits for what is never typed fails its test.
const PATIENCE_MS = 60_000

type Built = { file: string; newUser(settings: Record<string, string>): CliUser; close(): Promise<void> }

/** The program, built once for the file of tests. */
export const openedCli = (): Built =>
  opened(async () => {
    const folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'))
    const script = join(ROOT, 'clients', 'cli', 'scripts', 'build.mjs')
    const { bundleCli }: { bundleCli(outfile: string): Promise<void> } = await import(script)
    const file = join(folder, 'gateway-cli.mjs')
    await bundleCli(file)
    let users = 0
    const running = new Set<ChildProcess>()
    return {
      file,
      newUser: (settings: Record<string, string>) => {
        users += 1
        return newUser({ program: file, running }, join(folder, `home-${users}`), settings)
      },
      close: async () => {
        // A test that has failed leaves them behind.
        for (const child of running) child.kill('SIGKILL')
        rmSync(folder, { recursive: true })
      },
    }
  })

type Started = { program: string; running: Set<ChildProcess> }

function newUser({ program, running }: Started, home: string, given: Record<string, string>): CliUser {
  mkdirSync(home)
  const settings = { HOME: home, ...given }
  const run = (words: string, input = '') => runFile(program, split(words), { settings, input })
  return {
    settings,
    home,
    run,
    json: async (words, input) => {
      const { stdout, stderr } = await run(`${words} --json`, input)
      try {
        return JSON.parse(stdout)
      } catch {
        throw new Error(`no JSON: ${stdout}${stderr}`)
      }
    },
    file: (name, text) => {
      writeFileSync(join(home, name), text)
      return join(home, name)
    },
    start: (words) => start({ program, running }, split(words), settings),
    inTerminal: (words, typing) => runInTerminal(`${process.execPath} ${program} ${words}`, settings, typing),
  }
}

const split = (words: string) => words.split(' ').filter((word) => word !== '')

function start({ program, running }: Started, args: readonly string[], settings: Record<string, string>): RunningCli {
  const env = { PATH: process.env.PATH ?? '', ...settings }
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  const said: Ran = { code: null, stdout: '', stderr: '' }
  child.stdout.on('data', (piece) => {
    said.stdout += piece
  })
  child.stderr.on('data', (piece) => {
    said.stderr += piece
  })
  const ended = new Promise<void>((resolve) => {
    child.on('close', (code) => {
      said.code = code
      running.delete(child)
      resolve()
    })
  })
  return {
    said,
    says: async (text) => {
      const find = () => text.exec(said.stdout + said.stderr)
      await eventually(`it says ${text}, not only ${said.stdout}${said.stderr}`, () => find() !== null)
      return find() as RegExpExecArray
    },
    interrupt: async () => {
      child.kill('SIGINT')
      await ended
      return said
    },
  }
}

async function runInTerminal(
  line: string,
  settings: Record<string, string>,
  [prompt, text]: [RegExp, string] = [/^$/, ''],
): Promise<string> {
  const env = { PATH: process.env.PATH ?? '', TERM: 'xterm', ...settings }
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: PATIENCE_MS,
  })
  let shown = ''
  let isTyped = false
  child.stdout.on('data', (piece) => {
    shown += piece
    if (isTyped || !prompt.test(shown)) return
    isTyped = true
    child.stdin.write(text)
  })
  await new Promise((resolve) => child.on('close', resolve))
  return shown
}
