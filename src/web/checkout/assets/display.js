// biome-ignore-all lint: newer words would be put into it.
// ES5 only, for the browsers of machines, many of them ten years old. Polls the state of the order. When it changes, loads the
// page and takes the new screen from it. The service decides what is shown: without a connection the last screen stays.
;(function () {
  var SLOWEST = 30000
  var GIVE_UP = 10000
  var LOST_AFTER = 3 // Failed polls in a row until the screen reports it.
  var began = Date.now()
  var misses = 0

  function screen() {
    return document.getElementById('screen')
  }

  function attr(name) {
    return screen().getAttribute(name)
  }

  // Calls `done` once: with the request if it got a 200, else with null.
  function get(url, type, done) {
    var request = new XMLHttpRequest()
    var waiting = setTimeout(function () {
      end(null)
      request.abort()
    }, GIVE_UP)
    function end(answer) {
      if (waiting === null) return
      clearTimeout(waiting)
      waiting = null
      done(answer)
    }
    request.open('GET', url, true)
    request.responseType = type
    request.onreadystatechange = function () {
      if (request.readyState === 4) end(request.status === 200 ? request : null)
    }
    request.send()
  }

  function poll() {
    get(attr('data-state'), '', function (request) {
      var seen = request && seenIn(request.responseText)
      if (!seen) return miss()
      if (seen === attr('data-seen')) return hit()
      get(location.href, 'document', exchange)
    })
  }

  function seenIn(text) {
    var state = readJson(text)
    return (
      state &&
      [state.payment_status, state.vending_status, state.expired, state.invalidated, state.vending_error || ''].join(
        ' ',
      )
    )
  }

  function readJson(text) {
    try {
      return JSON.parse(text)
    } catch (_broken) {
      return null
    }
  }

  function exchange(request) {
    if (!request) return miss()
    // A browser that cannot parse the new page reloads it.
    var page = request.response
    if (typeof page !== 'object' || page === null) return location.reload()
    var fresh = page.getElementById('screen')
    if (!fresh) return miss()
    var old = screen()
    old.parentNode.replaceChild(document.importNode(fresh, true), old)
    document.title = page.title
    began = Date.now()
    hit()
  }

  function hit() {
    misses = 0
    showLost()
    setTimeout(poll, Number(attr('data-every')))
  }

  function miss() {
    misses += 1
    showLost()
    setTimeout(poll, Math.min(SLOWEST, Number(attr('data-every')) * Math.pow(2, misses)))
  }

  function showLost() {
    var plain = screen().className.replace(' lost', '')
    screen().className = misses < LOST_AFTER ? plain : [plain, 'lost'].join(' ')
  }

  // Counts from the moment the screen loaded: the date of a machine may be years off.
  function tick() {
    var clock = document.getElementById('left')
    if (!clock) return
    var total = Number(clock.getAttribute('data-left'))
    var passed = Math.floor((Date.now() - began) / 1000)
    var left = Math.max(0, Math.min(total, total - passed))
    var seconds = left % 60
    var time = Math.floor(left / 60) + (seconds < 10 ? ':0' : ':') + seconds
    clock.firstChild.nodeValue = clock.getAttribute('data-text').replace('{time}', time)
    if (left <= 20) clock.className = 'left soon'
  }

  setInterval(tick, 1000)
  setTimeout(poll, Number(attr('data-every')))
})()
