;;; -*- lexical-binding: t -*-
;; Drives a real Emacs with eglot: config first as docs/editors.md has it, then what a user does, step by step.
;; Arguments by environment: SERVER (JSON, the command), FILE, CHECK, REPORT (where to write what was seen).
;; The answer to "Apply or Discard?" is read from standard input, as batch Emacs reads what a user types.
(require 'eglot)
(require 'json)

(defvar seen nil)
(defun see (key value) (push (cons key value) seen))

(defun wait-for (what condition)
  (let ((limit (+ (float-time) 60)))
    (while (not (funcall condition))
      (when (> (float-time) limit) (error "Waited in vain for %s" what))
      (accept-process-output nil 0.05))))

(setq eglot-server-programs
      (list (cons 'c-mode (append (json-parse-string (getenv "SERVER") :array-type 'list) nil)))
      eglot-confirm-server-initiated-edits nil
      eglot-sync-connect t
      eglot-connect-timeout 60
      eglot-autoshutdown nil)
(setq-default eglot-workspace-configuration `((:compileLoop . (:check ,(getenv "CHECK")))))

(advice-add 'completing-read :before
            (lambda (prompt choices &rest _)
              (see 'asked prompt)
              (with-current-buffer (find-buffer-visiting (getenv "FILE"))
                (flymake-start)
                (see 'diagnostics (vconcat (mapcar #'flymake-diagnostic-text (flymake-diagnostics)))))
              (see 'choices (vconcat choices))))

(defun drive ()
  (find-file (getenv "FILE"))
  (c-mode)
  (buffer-enable-undo) ; which batch Emacs leaves out
  (let ((before (buffer-string)))
    (apply #'eglot (append (eglot--guess-contact) '(nil)))
    (let* ((server (eglot-current-server))
           (actions (eglot-code-actions (point-min) (point-max)))
           (action (car actions))
           (command (plist-get action :command)))
      (see 'actions (vconcat (mapcar (lambda (each) (plist-get each :title)) actions)))
      (undo-boundary)
      (eglot-execute-command server (intern (plist-get command :command)) (plist-get command :arguments))
      (wait-for "the edit" (lambda () (not (equal before (buffer-string)))))
      (see 'after (buffer-string))
      (undo-boundary) ; as after each command of a user
      (undo)
      (see 'undone (buffer-string))
      (eglot-shutdown server nil 20))))

(condition-case trouble
    (drive)
  (error (see 'trouble (error-message-string trouble))))
(with-temp-file (getenv "REPORT") (insert (json-encode seen)))
(set-buffer-modified-p nil)
(kill-emacs 0)
