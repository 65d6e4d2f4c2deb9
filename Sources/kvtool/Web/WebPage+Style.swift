#if Web
  extension WebPage {
    static let style = #"""
      :root {
        --ground: #fbfbfa; --panel: #fff; --ink: #1c2024; --faint: #5b636b; --line: #dcdfe2; --accent: #0b57a4;
        --fresh: #fff1bd; --wrong: #a81c1c; --value: #0f5f3a; --type: #6b3fa0;
      }
      @media (prefers-color-scheme: dark) {
        :root {
          --ground: #15181b; --panel: #1c2024; --ink: #e6e8ea; --faint: #a0a8b0; --line: #363c42; --accent: #79b8ff;
          --fresh: #4a3d0c; --wrong: #ff8f88; --value: #8bd5a8; --type: #c8a6f5;
        }
      }
      * { box-sizing: border-box; }
      [hidden] { display: none !important; }
      body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
      header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .4rem .8rem; padding: .7rem 1rem;
        border-bottom: 1px solid var(--line); background: var(--panel); }
      h1 { margin: 0; font-size: 1.05rem; overflow-wrap: anywhere; }
      h2 { margin: 0 0 .4rem; font-size: .95rem; overflow-wrap: anywhere; }
      main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; padding: 1rem; }
      @media (min-width: 62rem) { main { grid-template-columns: minmax(0, 1fr) 25rem; } }
      #views, #commits { background: var(--panel); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem; }
      #commits { align-self: start; }
      pre, .tree, .types, #log, td, th, input, textarea, select { font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
      pre, td, .name, .text, #log li, h1, h2 { unicode-bidi: isolate; }
      pre { margin: .4rem 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow: auto; }
      button { font: inherit; color: var(--ink); background: var(--panel); border: 1px solid var(--line);
        border-radius: .35rem; padding: .2rem .6rem; cursor: pointer; }
      button:hover { border-color: var(--accent); }
      :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
      .badge { border: 1px solid var(--line); border-radius: 1rem; padding: 0 .6rem; color: var(--faint); font-size: .85rem; }
      #live.on { color: var(--value); border-color: currentColor; }
      .problem { margin: .5rem 0; color: var(--wrong); overflow-wrap: anywhere; }
      body > .problem { margin: .8rem 1rem 0; }
      .facts { margin: .2rem 0; color: var(--faint); }
      [role=tablist] { display: flex; gap: .3rem; margin-bottom: .7rem; }
      [role=tab] { border-color: transparent; }
      [role=tab][aria-selected=true] { border-color: var(--accent); color: var(--accent); }
      .tree, .tree ul, .types, #log { list-style: none; margin: 0; padding: 0; }
      #tree { max-height: 55vh; overflow: auto; }
      .tree ul { padding-left: 1.1rem; }
      summary { cursor: pointer; overflow-wrap: anywhere; }
      .tree summary .name { color: var(--accent); }
      .key { display: flex; flex-wrap: wrap; gap: 0 .7rem; width: 100%; border: 0; padding: 0 .3rem; font: inherit;
        text-align: left; background: none; border-radius: .25rem; }
      .key[aria-current=true] { outline: 1px solid var(--accent); outline-offset: -1px; }
      .key .name, .key .text { min-width: 0; overflow-wrap: anywhere; }
      .key .text { color: var(--value); flex: 1 1 10rem; }
      .type { color: var(--type); }
      .fresh { animation: fresh 2s ease-out; }
      @keyframes fresh { from { background: var(--fresh); } }
      @media (prefers-reduced-motion: reduce) { .fresh { animation: none; } }
      #value { margin-top: .8rem; padding-top: .8rem; border-top: 1px solid var(--line); }
      #value-text { color: var(--value); }
      form { display: flex; flex-wrap: wrap; gap: .5rem .8rem; align-items: end; }
      label { display: flex; flex-direction: column; color: var(--faint); font-size: .85rem; }
      label.wide, #edit label:has(textarea) { flex: 1 1 20rem; }
      input, textarea, select { color: var(--ink); background: var(--ground); border: 1px solid var(--line);
        border-radius: .3rem; padding: .25rem .4rem; }
      .buttons { display: flex; gap: .5rem; margin: .5rem 0 0; }
      .types { display: flex; flex-wrap: wrap; gap: .4rem; margin-bottom: .7rem; }
      .types [aria-pressed=true] { border-color: var(--accent); color: var(--accent); }
      .scroll { overflow: auto; max-height: 34rem; margin: .5rem 0; }
      table { border-collapse: collapse; }
      th, td { padding: .15rem .6rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
      td { max-width: 24rem; overflow-wrap: anywhere; white-space: pre-wrap; }
      thead th { position: sticky; top: 0; background: var(--panel); }
      tbody button { padding: 0 .35rem; font: inherit; color: var(--faint); }
      #log { max-height: 75vh; overflow: auto; }
      #log li { display: flex; gap: .6rem; padding: .1rem .2rem; border-bottom: 1px solid var(--line); }
      #log .number { color: var(--faint); flex: none; }
      #log .text { min-width: 0; overflow-wrap: anywhere; }

      """#
  }
#endif
