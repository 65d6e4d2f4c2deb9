#if Web
  extension WebPage {
    static let script = [common, keys, editing, objects, commits].joined(separator: "\n")

    private static let common = #"""
      "use strict";
      const base = location.pathname.replace(/\/$/, "");
      const $ = id => document.getElementById(id);
      let isWritable = false;

      // Children that are strings become text, not markup.
      function make(tag, properties, ...children) {
        const element = document.createElement(tag);
        Object.assign(element, properties);
        element.append(...children);
        return element;
      }

      function say(id, text) {
        $(id).textContent = text ?? "";
        $(id).hidden = !text;
      }

      class Refusal extends Error {
        constructor(response, body) {
          super(body.error ?? "The server answers " + response.status + ".");
          this.column = body.column;
        }
      }

      async function answer(path, options) {
        let response;
        try {
          response = await fetch(base + "/" + path, options);
        } catch {
          throw new Error("kvtool web doesn't answer. It has ended, or its computer sleeps.");
        }
        const isJSON = response.headers.get("Content-Type") === "application/json";
        const body = isJSON ? await response.json() : { error: await response.text() };
        if (!response.ok) throw new Refusal(response, body);
        return body;
      }

      function get(path, parameters = {}) {
        const pairs = Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined)
          .map(([name, value]) => name + "=" + encodeURIComponent(String(value).toWellFormed?.() ?? value));
        return answer(path + "?" + pairs.join("&"));
      }

      function post(path, body) {
        const headers = { "Content-Type": "application/json", "X-Kvtool": "1" };
        return answer(path, { method: "POST", headers, body: JSON.stringify(body) });
      }

      // Runs the work now, and once more if it was requested meanwhile. Shows its failure above the page.
      const failures = new Map();
      function refresher(work) {
        let [isRunning, isWanted] = [false, false];
        return async () => {
          isWanted = true;
          if (isRunning) return;
          isRunning = true;
          while (isWanted) {
            isWanted = false;
            try {
              await work();
              failures.delete(work);
            } catch (error) {
              failures.set(work, error.message);
            }
            say("problem", [...new Set(failures.values())].join(" "));
            await new Promise(resolve => setTimeout(resolve, 100));
          }
          isRunning = false;
        };
      }

      // Shows elements in an order, and moves no element that is in its place, so that the focus stays.
      function arrange(parent, elements) {
        elements.forEach((element, index) => {
          if (parent.children[index] !== element) parent.insertBefore(element, parent.children[index] ?? null);
        });
        while (parent.children.length > elements.length) parent.lastElementChild.remove();
      }

      function flash(element) {
        element.classList.remove("fresh");
        void element.offsetWidth;
        element.classList.add("fresh");
      }

      const tabs = ["keys", "objects", "activity"];
      let shown = "keys";
      function show(tab) {
        shown = tab;
        for (const name of tabs) {
          $("view-" + name).hidden = name !== tab;
          $("tab-" + name).setAttribute("aria-selected", name === tab);
          $("tab-" + name).tabIndex = name === tab ? 0 : -1;
        }
        if (tab === "objects") refreshTypes();
        if (tab === "activity") refreshActivity();
      }
      for (const name of tabs) {
        $("tab-" + name).onclick = () => show(name);
        $("tab-" + name).onkeydown = event => {
          const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
          if (!step) return;
          show(tabs[(tabs.indexOf(name) + step + tabs.length) % tabs.length]);
          $("tab-" + shown).focus();
        };
      }

      const refreshActivity = refresher(async () => {
        if (shown !== "activity" || document.hidden) return;
        $("activity").textContent = (await get("api/activity")).text;
      });
      setInterval(() => { if (shown === "activity") refreshActivity(); }, 1000);
      """#

    private static let keys = #"""
      // The keys of a prefix, as a list. Groups load when they are opened.
      class Level {
        constructor(namespace, prefix, list) {
          Object.assign(this, { namespace, prefix, list, nodes: new Map(), wanted: 100, isLoaded: false });
          this.more = make("li", { hidden: true });
          this.more.append(make("button", {
            textContent: "More", onclick: () => { this.wanted += 200; this.refresh(); },
          }));
          this.refresh = refresher(() => this.load());
        }

        async load() {
          const entries = [];
          let answer;
          do {
            const last = entries.at(-1);
            answer = await get("api/keys", {
              namespace: this.namespace, prefix: this.prefix, limit: Math.min(500, this.wanted - entries.length),
              after: last?.key, afterGroup: last?.group,
            });
            entries.push(...answer.entries);
          } while (answer.hasMore && entries.length < this.wanted);
          const nodes = new Map();
          for (const entry of entries) {
            const id = entry.group !== undefined ? "g" + entry.group : "k" + entry.key;
            const node = this.nodes.get(id) ?? (entry.group !== undefined ? this.group(entry) : this.key(entry));
            if (entry.key !== undefined) this.fill(node, entry);
            nodes.set(id, node);
          }
          this.nodes = nodes;
          this.isLoaded = true;
          this.more.hidden = !answer.hasMore;
          arrange(this.list, [...[...nodes.values()].map(node => node.element), this.more]);
        }

        group(entry) {
          const list = make("ul", {});
          const level = new Level(this.namespace, entry.group, list);
          const details = make("details", {
            ontoggle: () => { if (details.open && !level.isLoaded) level.refresh(); },
          }, make("summary", {}, make("span", { className: "name", textContent: entry.name })), list);
          return { element: make("li", {}, details), level, details };
        }

        key(entry) {
          const [name, type, text] = ["name", "type", "text"].map(className => make("span", { className }));
          const button = make("button", {
            className: "key", onclick: () => choose(this.namespace, entry.key),
          }, name, type, text);
          name.textContent = entry.name;
          return { element: make("li", {}, button), button, type, text, key: entry.key };
        }

        fill(node, entry) {
          node.type.textContent = entry.type;
          node.text.textContent = entry.problem ?? (entry.text === undefined ? entry.size : entry.text + (entry.isCut ? "…" : ""));
          node.button.setAttribute("aria-current", isChosen(this.namespace, entry.key));
          if (node.commit !== undefined && node.commit !== entry.commit || this.isLoaded && node.commit === undefined) flash(node.button);
          node.commit = entry.commit;
        }

        // Refreshes the open levels that a change may affect.
        apply(changes) {
          if (!this.isLoaded) return;
          if (changes === null || changes.some(change => this.isAffected(change))) this.refresh();
          for (const node of this.nodes.values()) {
            if (node.details && !node.details.open) node.level.isLoaded = false;
            else node.level?.apply(changes);
          }
        }

        isAffected(change) {
          if (change.isObject || change.namespace !== null && change.namespace !== this.namespace) return false;
          return change.key === null || change.key.startsWith(this.prefix) || this.prefix.startsWith(change.key);
        }
      }

      const namespaces = new Map();
      const refreshNamespaces = refresher(async () => {
        const answer = await get("api/namespaces");
        const elements = [];
        for (const { namespace, name } of answer.namespaces) {
          if (!namespaces.has(namespace)) {
            const list = make("ul", {});
            const level = new Level(namespace, "", list);
            const details = make("details", { ontoggle: () => { if (details.open && !level.isLoaded) level.refresh(); } },
              make("summary", {}, make("span", { className: "name", textContent: name })), list);
            namespaces.set(namespace, { element: make("li", {}, details), level, details });
            details.open = namespace === "" || answer.namespaces.length < 5;
          }
          elements.push(namespaces.get(namespace).element);
        }
        arrange($("tree"), elements);
      });

      function applyToKeys(changes) {
        const isUnknown = change => !change.isObject && change.namespace !== null && !namespaces.has(change.namespace);
        if (changes === null || changes.some(isUnknown)) refreshNamespaces();
        for (const { level, details } of namespaces.values()) {
          if (details.open) level.apply(changes); else level.isLoaded = false;
        }
        const concerns = change => !change.isObject && (change.namespace === null || change.namespace === chosen.namespace)
          && (change.key === null || chosen.key.startsWith(change.key));
        if (chosen && chosen.key !== null && (changes === null || changes.some(concerns))) refreshValue();
      }
      """#

    private static let editing = #"""
      // The key whose value is shown; its key is null while a new one is being written.
      let chosen = null;
      const isChosen = (namespace, key) => chosen !== null && chosen.namespace === namespace && chosen.key === key;

      function markChosen() {
        const mark = level => {
          for (const node of level.nodes.values()) {
            node.button?.setAttribute("aria-current", isChosen(level.namespace, node.key));
            if (node.level) mark(node.level);
          }
        };
        for (const { level } of namespaces.values()) mark(level);
      }

      function choose(namespace, key) {
        chosen = { namespace, key, commit: null, isEdited: false };
        $("value").hidden = false;
        $("edit").hidden = !isWritable;
        $("edit-place").hidden = $("edit-name").hidden = key !== null;
        $("delete").hidden = key === null;
        $("delete").textContent = "Delete";
        for (const id of ["value-problem", "edit-problem"]) say(id, "");
        for (const id of ["value-facts", "value-text", "value-name"]) $(id).textContent = "";
        $("edit-text").value = "";
        $("edit-type").value = "";
        $("edit-type").options[0].textContent = "string";
        markChosen();
        $("value").scrollIntoView({ block: "nearest" });
        if (key !== null) return refreshValue();
        $("value-name").textContent = "New key";
        $("edit-key").value = "";
        $("edit-namespace").value = namespace;
        $("edit-key").focus();
      }

      const refreshValue = refresher(async () => {
        const wanted = chosen;
        if (!wanted || wanted.key === null) return;
        const value = await get("api/value", { namespace: wanted.namespace, key: wanted.key });
        if (wanted !== chosen) return;
        $("value-name").textContent = value.name;
        const isNew = wanted.shownCommit !== undefined && wanted.shownCommit !== value.commit;
        wanted.shownCommit = value.commit;
        $("value-facts").textContent =
          value.type === null ? "There is no such key."
            : value.type + ", " + value.size + ", of commit " + value.commit + (value.expires ? ", expires " + value.expires : "");
        $("value-text").textContent = (value.text ?? "") + (value.isCut ? "…" : "");
        if (isNew) flash($("value-text"));
        say("value-problem", value.problem);
        if (wanted.isEdited) {
          if (isNew) say("edit-problem", "The value has changed meanwhile, so Save will be refused. Close and choose the key again.");
          return;
        }
        wanted.commit = value.commit;
        $("edit-text").value = value.editable ?? "";
        $("edit-type").options[0].textContent = value.type === null ? "string" : "as it is";
      });

      $("edit-text").oninput = $("edit-type").onchange = () => { if (chosen) chosen.isEdited = true; };
      $("new-key").onclick = () => choose(chosen?.namespace ?? "", null);
      $("close-value").onclick = () => {
        chosen = null;
        $("value").hidden = true;
        markChosen();
      };

      async function change(path, body) {
        try {
          await post(path, body);
          say("edit-problem", "");
          return true;
        } catch (error) {
          say("edit-problem", error.message);
          return false;
        }
      }

      $("edit").onsubmit = async event => {
        event.preventDefault();
        const place = chosen.key !== null ? chosen : { namespace: $("edit-namespace").value, key: $("edit-key").value, commit: null };
        const { namespace, key, commit } = place;
        const type = $("edit-type").value || null;
        if (await change("api/set", { namespace, key, commit, type, text: $("edit-text").value })) choose(namespace, key);
      };

      $("delete").onclick = async () => {
        if ($("delete").textContent === "Delete") {
          $("delete").textContent = "Delete it";
          return;
        }
        const { namespace, key, shownCommit } = chosen;
        $("delete").textContent = "Delete";
        if (await change("api/delete", { namespace, key, commit: shownCommit })) choose(namespace, key);
      };
      $("delete").onblur = () => { $("delete").textContent = "Delete"; };
      """#

    private static let objects = #"""
      let tables = [];
      let table = null;
      let rowLimit = 100;
      const typeElements = new Map();

      const refreshTypes = refresher(async () => {
        if (shown !== "objects") return;
        tables = (await get("api/tables")).tables;
        const elements = tables.map(type => {
          const known = typeElements.get(type.table);
          const element = known ?? make("li", {}, make("button", { onclick: () => chooseTable(type.table) }));
          typeElements.set(type.table, element);
          element.firstElementChild.textContent = type.name + " " + type.objects;
          element.firstElementChild.disabled = !type.isReadable;
          if (!type.isReadable) element.title = "The file has no schema of this type that this version can read.";
          return element;
        });
        arrange($("types"), elements.length > 0 ? elements : [make("li", { textContent: "The file has no objects." })]);
        if (table === null) {
          const first = tables.find(type => type.isReadable);
          if (first) chooseTable(first.table);
        } else {
          refreshRows();
        }
      });

      function chooseTable(name) {
        table = name;
        rowLimit = 100;
        $("objects").hidden = false;
        $("where").value = $("order").value = "";
        $("schema").textContent = tables.find(type => type.table === name)?.schema ?? "";
        for (const [known, element] of typeElements) {
          element.firstElementChild.setAttribute("aria-pressed", known === name);
        }
        say("object", "");
        refreshRows();
      }

      // The condition and order that are shown, which Show takes from the boxes.
      let query = { where: "", order: "" };

      const refreshRows = refresher(async () => {
        if (table === null || shown !== "objects") return;
        const wanted = { table, ...query };
        const rows = [];
        let answer;
        try {
          do {
            const limit = Math.min(500, rowLimit - rows.length);
            answer = await get("api/objects", { ...wanted, offset: rows.length, limit });
            rows.push(...answer.rows);
          } while (answer.hasMore && rows.length < rowLimit);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          return showMistake(wanted.where, error);
        }
        if (wanted.table !== table) return;
        showMistake("", null);
        arrange($("columns"), ["", ...answer.columns].map(name => make("th", { scope: "col", textContent: name })));
        arrange($("rows"), rows.map((row, index) => {
          const element = $("rows").children[index]
            ?? make("tr", {}, make("th", { scope: "row" }, make("button", { title: "Show the whole object" })));
          const button = element.firstElementChild.firstElementChild;
          button.textContent = index + 1;
          button.onclick = () => say("object", row.object);
          const cells = row.cells.map((cell, column) => {
            const box = element.children[column + 1] ?? make("td", {});
            if (box.textContent !== (cell ?? "")) box.textContent = cell ?? "";
            return box;
          });
          arrange(element, [element.firstElementChild, ...cells]);
          return element;
        }));
        $("more-rows").hidden = !answer.hasMore;
        $("rows-note").textContent = rows.length + (answer.hasMore ? " objects, and more" : rows.length === 1 ? " object" : " objects");
      });

      function showMistake(condition, error) {
        $("mistake").hidden = error === null;
        if (error === null) return;
        $("mistake-text").textContent = (error.column ? "Column " + error.column + ": " : "") + error.message;
        say("mistake-place", error.column ? condition + "\n" + " ".repeat(error.column - 1) + "^" : "");
        if (!error.column || $("where").value !== condition) return;
        // Columns count characters as people see them.
        const segments = window.Intl?.Segmenter ? [...new Intl.Segmenter().segment(condition)].map(part => part.segment) : [...condition];
        const start = segments.slice(0, error.column - 1).join("").length;
        $("where").setSelectionRange(start, condition.length);
      }

      $("query").onsubmit = event => {
        event.preventDefault();
        query = { where: $("where").value, order: $("order").value };
        rowLimit = 100;
        say("object", "");
        refreshRows();
      };
      $("more-rows").onclick = () => {
        rowLimit += 200;
        refreshRows();
      };
      """#

    private static let commits = #"""
      const mostLines = 500;
      let events = null;

      function line(change) {
        return make("li", {}, make("span", { className: "number", textContent: change.commit }),
          make("span", { className: "text", textContent: change.text }));
      }

      function receive(message) {
        failures.delete(receive);
        if (message.problem !== null) failures.set(receive, message.problem);
        say("problem", [...new Set(failures.values())].join(" "));
        const lines = message.changes.map(line).reverse();
        if (message.skipped > 0) lines.push(make("li", { className: "facts", textContent: message.skipped + " more changes" }));
        if (message.isBeginning) {
          $("log").replaceChildren(...lines);
        } else {
          lines.forEach(flash);
          $("log").prepend(...lines);
          while ($("log").children.length > mostLines) $("log").lastElementChild.remove();
        }
        const isComplete = !message.isBeginning && message.skipped === 0;
        applyToKeys(isComplete ? message.changes : null);
        if (shown === "objects" && (!isComplete || message.changes.some(change => change.isObject))) refreshTypes();
      }

      function live(text, isOn) {
        $("live").textContent = text;
        $("live").classList.toggle("on", isOn);
      }

      // A hidden page gives its connection back: browsers open only six to a server.
      function connect() {
        events?.close();
        events = null;
        if (document.hidden) return live("paused", false);
        events = new EventSource(base + "/api/events");
        events.onmessage = event => {
          live("live", true);
          receive(JSON.parse(event.data));
        };
        events.onerror = () => live(events.readyState === EventSource.CLOSED ? "ended" : "reconnecting", false);
      }
      document.addEventListener("visibilitychange", connect);

      const begin = refresher(async () => {
        const file = await get("api/file");
        isWritable = file.isWritable;
        $("path").textContent = file.path;
        document.title = file.path + " – kvtool";
        say("mode", isWritable ? "read and write" : "read-only");
        $("creation").hidden = !isWritable;
        $("edit-type").replaceChildren(make("option", { value: "", textContent: "string" }),
          ...file.types.map(type => make("option", { value: type, textContent: type })));
      });
      begin();
      refreshNamespaces();
      connect();
      """#
  }
#endif
