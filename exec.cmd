@echo Assent runs on Linux and macOS: on Windows, run it in WSL.
@exit /b 1
