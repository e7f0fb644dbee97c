-- Drives a real Neovim: config first as docs/editors.md has it for old versions, then what a user does, step by step.
-- Arguments by environment: SERVER (JSON, the command), FILE, CHECK, REPORT (where to write what was seen).
local seen = { choices = {}, progress = {}, asked = {} }

local function wait_for(what, condition)
  if not vim.wait(60000, condition, 20) then
    error("waited in vain for " .. what)
  end
end

local function lines()
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n")
end

local function drive()
  -- The user: picks the first code action, and answers "1" (Apply) when asked.
  vim.ui.select = function(items, options, chosen)
    for _, item in ipairs(items) do
      table.insert(seen.choices, options.format_item and options.format_item(item) or tostring(item))
    end
    chosen(items[1], 1)
  end
  vim.fn.inputlist = function(options)
    seen.asked = options
    seen.diagnostics = vim.tbl_map(function(d)
      return { line = d.lnum, message = d.message, source = d.source }
    end, vim.diagnostic.get(0))
    return 1
  end

  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.FILE))
  local id = vim.lsp.start_client({
    name = "compile-loop",
    cmd = vim.fn.json_decode(vim.env.SERVER),
    root_dir = vim.fn.fnamemodify(vim.env.FILE, ":h"),
    settings = { compileLoop = { check = vim.env.CHECK } },
  })
  local client = vim.lsp.get_client_by_id(id)
  vim.lsp.buf_attach_client(0, id)
  wait_for("the server", function() return client.initialized end)

  local show = vim.lsp.handlers["$/progress"]
  vim.lsp.handlers["$/progress"] = function(err, result, context, config)
    table.insert(seen.progress, result.value.title or result.value.message or result.value.kind)
    return show(err, result, context, config)
  end

  local before = lines()
  vim.lsp.buf.code_action()
  wait_for("the edit", function() return lines() ~= before end)
  seen.after = lines()
  wait_for("the end of the progress", function()
    return vim.tbl_isempty(client.messages.progress)
      or vim.tbl_contains(vim.tbl_map(function(p) return p.done or false end, vim.tbl_values(client.messages.progress)), true)
  end)
  vim.cmd("undo")
  seen.undone = lines()
  client.stop()
  wait_for("the server to leave", function() return vim.lsp.get_client_by_id(id) == nil end)
end

local ok, trouble = pcall(drive)
seen.trouble = not ok and tostring(trouble) or nil
vim.fn.writefile({ vim.fn.json_encode(seen) }, vim.env.REPORT)
vim.cmd("qall!")
