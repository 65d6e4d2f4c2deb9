#if Web
  /// The page: its document, script and style, which are served as three files.
  ///
  /// The script inserts each text of the file as text, never as markup.
  enum WebPage {
    /// - Parameter base: The path of the page, without a slash at its end.
    static func html(base: String) -> String {
      #"""
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>kvtool</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="\#(base)/style.css">
      <script src="\#(base)/script.js" defer></script>
      </head>
      <body>
      <header>
        <h1 id="path">kvtool</h1>
        <span id="mode" class="badge" hidden></span>
        <span id="live" class="badge" role="status">connecting</span>
      </header>
      <p id="problem" class="problem" role="alert" hidden></p>
      <main>
        <section id="views">
          <div role="tablist" aria-label="Views">
            <button role="tab" id="tab-keys" aria-controls="view-keys" aria-selected="true">Keys</button>
            <button role="tab" id="tab-objects" aria-controls="view-objects" aria-selected="false" tabindex="-1">Objects</button>
            <button role="tab" id="tab-activity" aria-controls="view-activity" aria-selected="false" tabindex="-1">Activity</button>
          </div>
          <div id="view-keys" role="tabpanel" aria-labelledby="tab-keys">
            <p id="creation" hidden><button id="new-key">New key</button></p>
            <ul id="tree" class="tree"></ul>
            <section id="value" aria-label="Value" hidden>
              <h2 id="value-name"></h2>
              <p id="value-facts" class="facts"></p>
              <p id="value-problem" class="problem" hidden></p>
              <pre id="value-text"></pre>
              <form id="edit" hidden>
                <label id="edit-place">Namespace <input id="edit-namespace" autocomplete="off" spellcheck="false"></label>
                <label id="edit-name">Key <input id="edit-key" autocomplete="off" spellcheck="false"></label>
                <label>Type <select id="edit-type"></select></label>
                <label>New value <textarea id="edit-text" rows="3" spellcheck="false"></textarea></label>
                <p class="buttons">
                  <button id="save">Save</button>
                  <button id="delete" type="button">Delete</button>
                </p>
                <p id="edit-problem" class="problem" role="alert" hidden></p>
              </form>
              <p class="buttons"><button id="close-value">Close</button></p>
            </section>
          </div>
          <div id="view-objects" role="tabpanel" aria-labelledby="tab-objects" hidden>
            <ul id="types" class="types"></ul>
            <div id="objects" hidden>
              <form id="query">
                <label class="wide">Where <input id="where" autocomplete="off" spellcheck="false"></label>
                <label>Order <input id="order" autocomplete="off" spellcheck="false"></label>
                <button>Show</button>
              </form>
              <div id="mistake" class="problem" role="alert" hidden><pre id="mistake-place"></pre><p id="mistake-text"></p></div>
              <details><summary>Schema</summary><pre id="schema"></pre></details>
              <div class="scroll" tabindex="0" aria-label="Objects">
                <table><thead><tr id="columns"></tr></thead><tbody id="rows"></tbody></table>
              </div>
              <p id="rows-note" class="facts"></p>
              <button id="more-rows" hidden>More</button>
              <pre id="object" hidden></pre>
            </div>
          </div>
          <div id="view-activity" role="tabpanel" aria-labelledby="tab-activity" hidden><pre id="activity"></pre></div>
        </section>
        <section id="commits" aria-label="Commits">
          <h2>Commits</h2>
          <ol id="log"></ol>
        </section>
      </main>
      </body>
      </html>

      """#
    }
  }
#endif
