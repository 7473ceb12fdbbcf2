// Where the program runs. Each has its own compiled packages: the embedded PostgreSQL, the decoder of pictures, the hash of passwords.
export const PLATFORMS = {
  'linux-x64': { os: 'linux', cpu: 'x64', libc: 'glibc' },
  'linux-arm64': { os: 'linux', cpu: 'arm64', libc: 'glibc' },
  'darwin-x64': { os: 'darwin', cpu: 'x64' },
  'darwin-arm64': { os: 'darwin', cpu: 'arm64' },
}

/** The platforms that were asked for: one by its name, all, or that of this machine. Throws a sentence for a name that is none. */
export function choosePlatforms(word = `${process.platform}-${process.arch}`) {
  const names = Object.keys(PLATFORMS)
  if (word === 'all') return names
  if (names.includes(word)) return [word]
  throw new Error(`there is no artefact for ${word}: --platform is one of ${names.join(', ')}, or all`)
}
