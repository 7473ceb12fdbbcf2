const PATHS = {
  home: 'M3 11l9-8 9 8M5 10v10h14V10',
  in: 'M12 3v14M6 12l6 6 6-6M4 21h16',
  out: 'M12 17V3M6 9l6-6 6 6M4 21h16',
  link: 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1',
  wallet: 'M3 7h16a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zM3 7l11-4v4M16 13h2',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21a8 8 0 0 1 16 0',
  people: 'M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM2 21a7 7 0 0 1 14 0M16 3a4 4 0 0 1 0 8M18 14a7 7 0 0 1 4 7',
  shop: 'M4 9v11h16V9M3 9l2-6h14l2 6M9 20v-6h6v6',
  machine: 'M5 3h14v18H5zM8 6h5v8H8zM16 7v2M8 17h8',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5M14 4l-4 16',
  gear: 'M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 2v3M12 19v3M2 12h3M19 12h3M5 5l2 2M17 17l2 2M19 5l-2 2M7 17l-2 2',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5',
  menu: 'M4 6h16M4 12h16M4 18h16',
  flag: 'M5 21V4h13l-3 4 3 4H5',
  gift: 'M4 11h16v10H4zM2 7h20v4H2zM12 7v14M12 7c-5 0-5-5-2-5 2 0 2 5 2 5c0 0 0-5 2-5 3 0 3 5-2 5',
  list: 'M8 6h13M8 12h13M8 18h13M3 6h1M3 12h1M3 18h1',
  calendar: 'M4 5h16v16H4zM4 10h16M8 2v5M16 2v5',
  check: 'M5 13l4 4L19 7',
  cross: 'M6 6l12 12M18 6L6 18',
  clock: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 3',
  back: 'M4 12h15M10 6l-6 6 6 6',
  undo: 'M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
  warning: 'M12 3l10 18H2zM12 10v5M12 18v.5',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .9-1 1.7M12 16.5v.5',
  dash: 'M5 12h14',
  dot: 'M12 12h.01',
} as const

export type IconName = keyof typeof PATHS

/** A sign beside a word. Screen readers skip it, because the word says the same. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
)
