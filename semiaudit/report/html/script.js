"use strict";
(() => {
  const find = (root, what) => [...root.querySelectorAll(what)];

  // A plot: its points stand in its table, with their places in the drawing.
  for (const figure of find(document, "[data-plot]")) {
    const drawings = find(figure, ".drawing").map((frame, i) => ({
      frame,
      svg: frame.querySelector("svg"),
      rule: frame.querySelector(".rule"),
      dots: find(frame, ".dot"),
      x: i ? "x2" : "x",
      y: i ? "y2" : "y",
    }));
    const rows = find(figure, "tbody tr");
    const names = find(figure, "thead th").map((head) => head.textContent);
    const [at, ...numbers] = find(figure, ".reading output");
    const slider = figure.querySelector('input[type="range"]');
    const field = figure.querySelector('input[type="text"]');
    const wrong = figure.querySelector(".wrong");
    const places = rows.map((row) => Number(row.cells[0].textContent));
    const set = (node, name, value) =>
      value === undefined ? node.removeAttribute(name) : node.setAttribute(name, value);

    // The point whose number is certified to hold at a place; -1 if none is.
    const next = figure.dataset.held === "next";
    const holding = (place) => {
      if (!(next ? place >= 0 : place <= 1)) return -1;
      return next
        ? places.findIndex((known) => known >= place)
        : places.findLastIndex((known) => known <= place);
    };

    const show = (place, typed = false) => {
      const row = rows[place];
      const [head, ...cells] = row.cells;
      for (const { rule, dots, x, y } of drawings) {
        const across = row.dataset[x];
        set(rule, "display", across === undefined ? "none" : undefined);
        if (across !== undefined) {
          set(rule, "x1", across);
          set(rule, "x2", across);
        }
        cells.forEach((cell, i) => {
          const up = cell.dataset[y];
          const seen = across !== undefined && up !== undefined;
          set(dots[i], "display", seen ? undefined : "none");
          if (seen) {
            set(dots[i], "cx", across);
            set(dots[i], "cy", up);
          }
        });
      }
      at.textContent = head.textContent;
      cells.forEach((cell, i) => {
        numbers[i].textContent = cell.textContent;
      });
      slider.value = place;
      if (!typed) field.value = head.textContent;
      field.removeAttribute("aria-invalid");
      wrong.hidden = true;
      const told = cells.map((cell, i) => `${names[i + 1]} ${cell.textContent}`);
      slider.setAttribute("aria-valuetext", `${head.textContent}: ${told.join(", ")}`);
    };

    for (const { svg, x } of drawings) {
      const follow = (event) => {
        const turned = svg.getScreenCTM().inverse();
        const here = new DOMPoint(event.clientX, event.clientY).matrixTransform(turned).x;
        const far = (row) => Math.abs((row.dataset[x] ?? Infinity) - here);
        let best = 0;
        rows.forEach((row, i) => {
          if (far(row) < far(rows[best])) best = i;
        });
        show(best);
      };
      svg.addEventListener("pointermove", follow);
      svg.addEventListener("pointerdown", follow);
    }
    for (const radio of find(figure, 'input[type="radio"]')) {
      radio.addEventListener("change", () => {
        drawings.forEach(({ frame }, i) => {
          frame.hidden = i !== Number(radio.value);
        });
      });
    }
    for (const hidden of find(figure, "fieldset, input, label")) hidden.hidden = false;
    figure.classList.add("live");
    slider.addEventListener("input", () => show(Number(slider.value)));
    field.addEventListener("input", () => {
      const text = field.value.trim().replace(",", ".");
      const place = text === "" ? -1 : holding(Number(text));
      if (place < 0) {
        field.setAttribute("aria-invalid", "true");
        wrong.hidden = false;
      } else show(place, true);
    });
    show(Number(slider.value));
  }

  // A table that readers sort: by what a cell carries, else by its text. What has none comes last.
  const key = (cell) => {
    const text = cell.dataset.sort ?? cell.textContent.trim();
    if (text === "" || text === "-") return null;
    const number = text === "inf" ? Infinity : Number(text);
    return Number.isNaN(number) ? text : number;
  };
  const compare = (a, b) => {
    if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : 0;
    return typeof a === "number" ? -1 : 1;
  };
  for (const table of find(document, "table.sortable")) {
    const body = table.tBodies[0];
    const heads = find(table, "thead th");
    for (const head of heads) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const known = [];
        const unknown = [];
        for (const row of [...body.rows]) {
          const value = key(row.cells[head.cellIndex]);
          (value === null ? unknown : known).push([value, row]);
        }
        known.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
        body.append(...[...known, ...unknown].map(([, row]) => row));
      });
    }
  }

  // The rows of one verdict.
  for (const choice of find(document, "fieldset.filter")) {
    const rows = find(choice.parentNode, "table.sortable tbody tr");
    choice.hidden = false;
    choice.addEventListener("change", (event) => {
      const word = event.target.value;
      for (const row of rows) row.hidden = word !== "" && row.dataset.status !== word;
    });
  }

  // Frames that need not be scrolled need no stop of the keyboard.
  const frames = find(document, ".scroll");
  const fit = () => {
    for (const frame of frames) frame.tabIndex = frame.scrollWidth > frame.clientWidth ? 0 : -1;
  };
  addEventListener("resize", fit);
  addEventListener("toggle", fit, true);
  fit();
})();
