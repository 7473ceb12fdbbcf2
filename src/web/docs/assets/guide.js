// What the pages of the guide do with scripts: follow links to sections that have moved, show examples in one language, and say while somebody
// types which sections have the words. Without it the form asks the service for the same.
const REMEMBERED = 'docs-language'

/** Leads from an anchor of the old one page to the page where its section stands now. */
function followMoved() {
  const moved = document.getElementById(location.hash.slice(1))?.dataset.moved
  if (moved !== undefined) location.replace(moved)
}

// A browser may keep nothing for this site; then each page begins with the first language.
function remember(language) {
  try {
    localStorage.setItem(REMEMBERED, language)
  } catch {}
}

function remembered() {
  try {
    return localStorage.getItem(REMEMBERED)
  } catch {
    return null
  }
}

/** Shows this language in every example that has it; the others keep what they show. */
function show(language) {
  for (const example of document.querySelectorAll('.languages')) {
    const figures = [...example.querySelectorAll('figure')]
    if (!figures.some((figure) => figure.dataset.language === language)) continue
    for (const figure of figures) figure.hidden = figure.dataset.language !== language
    for (const button of example.querySelectorAll('button'))
      button.setAttribute('aria-pressed', String(button.value === language))
  }
}

function addButtons(example) {
  const figures = [...example.querySelectorAll('figure')]
  if (figures.length < 2) return
  const group = document.createElement('div')
  group.className = 'choose'
  group.setAttribute('role', 'group')
  group.setAttribute('aria-label', 'Language')
  for (const figure of figures) {
    const button = document.createElement('button')
    button.type = 'button'
    button.value = figure.dataset.language
    button.textContent = figure.querySelector('figcaption').textContent
    button.addEventListener('click', () => {
      remember(button.value)
      show(button.value)
    })
    group.append(button)
  }
  example.prepend(group)
  example.classList.add('chosen')
}

const MOST_SHOWN = 8
const WORD = /[\p{L}\p{N}_./-]+/gu

/** The sections that have every word, also as a part of a longer one: as search-index.ts finds them. */
function findSections({ sections, words }, question) {
  const parts = (question.toLowerCase().match(WORD) ?? []).map((word) => word.replace(/^[./-]+|[./-]+$/g, ''))
  const wanted = parts.filter((part) => part !== '')
  if (wanted.length === 0) return []
  const sets = wanted.map((part) => {
    const found = Object.entries(words).filter(([word]) => word.includes(part))
    return new Set(found.flatMap(([, numbers]) => numbers.split(' ')))
  })
  return sections.filter((_, number) => sets.every((set) => set.has(String(number))))
}

/** Shows below the form which sections have what is typed. */
function searchWhileTyping(form) {
  const field = form.querySelector('input')
  const list = document.createElement('ol')
  list.className = 'found'
  list.setAttribute('aria-label', 'Sections with these words')
  form.after(list)
  let index
  const load = () => {
    index ??= fetch('/docs/search.json').then((answer) => answer.json())
    // The form still asks the service.
    return index.catch(() => ({ sections: [], words: {} }))
  }
  field.addEventListener('focus', load, { once: true })
  field.addEventListener('input', async () => {
    const found = findSections(await load(), field.value).slice(0, MOST_SHOWN)
    list.replaceChildren(
      ...found.map(([page, href, title]) => {
        const row = document.createElement('li')
        const link = document.createElement('a')
        link.href = href
        link.textContent = title
        const where = document.createElement('span')
        where.className = 'where'
        where.textContent = page
        row.append(link, ' ', where)
        return row
      }),
    )
  })
}

for (const form of document.querySelectorAll('form.search')) searchWhileTyping(form)
for (const example of document.querySelectorAll('.languages')) {
  addButtons(example)
  show(example.querySelector('figure').dataset.language)
}
show(remembered())
addEventListener('hashchange', followMoved)
followMoved()
