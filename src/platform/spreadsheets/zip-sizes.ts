/** What the directory of a ZIP archive says: how many files it holds, and their bytes when they are unpacked. */
type ZipSizes = { files: number; unpackedBytes: number }

const [END_OF_DIRECTORY, ENTRY] = [0x06054b50, 0x02014b50]
const [END_BYTES, ENTRY_BYTES] = [22, 46]
const MAX_COMMENT_BYTES = 65_535
// A flag: the size stands behind the file too, and perhaps only there. An empty file may be packed as two bytes.
const SIZE_BEHIND_FILE = 0x08
const EMPTY_PACKED = 2
// In these places they say that the real size stands elsewhere, for archives of more than 4 GB.
const [ELSEWHERE_16, ELSEWHERE_32] = [0xffff, 0xffffffff]

/**
 * Reads the directory at the end of an archive, without unpacking anything: a reader that stops at the stated size of each file unpacks no
 * more than this. Null if it is no archive, or a file in it states no size: then nothing would bound it.
 */
export function readZipSizes(bytes: Buffer): ZipSizes | null {
  const end = findEnd(bytes)
  if (end === null) return null
  const files = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  if (files === ELSEWHERE_16 || at === ELSEWHERE_32) return null
  let unpackedBytes = 0
  for (let file = 0; file < files; file += 1) {
    if (at + ENTRY_BYTES > bytes.length || bytes.readUInt32LE(at) !== ENTRY) return null
    if (!statesSizes(bytes, at)) return null
    const unpacked = bytes.readUInt32LE(at + 24)
    unpackedBytes += unpacked
    at += ENTRY_BYTES + bytes.readUInt16LE(at + 28) + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return { files, unpackedBytes }
}

/** Whether an entry says how large its file is; a reader would look for the size elsewhere, or stop nowhere. */
function statesSizes(bytes: Buffer, at: number): boolean {
  const isSizeBehind = (bytes.readUInt16LE(at + 8) & SIZE_BEHIND_FILE) !== 0
  const [packed, unpacked] = [bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)]
  if (packed === ELSEWHERE_32 || unpacked === ELSEWHERE_32) return false
  return unpacked > 0 ? packed > 0 : packed === EMPTY_PACKED || (packed === 0 && !isSizeBehind)
}

/** Finds the end of the directory from behind, as readers do. */
function findEnd(bytes: Buffer): number | null {
  const first = Math.max(0, bytes.length - END_BYTES - MAX_COMMENT_BYTES)
  for (let at = bytes.length - END_BYTES; at >= first; at -= 1)
    if (bytes.readUInt32LE(at) === END_OF_DIRECTORY) return at
  return null
}
